"""The asynchronous driver: concurrency, limits, retries, the durable run store, resuming.

A run is a folder (`run.Run`). From its plans to an answer, top to bottom:

================================ ==============================================================
run, driver, schedule, signals   a run is played: which games are in flight, when it stops
game_task, staging               one game: its referee and random streams, its agents asked
asking, keys                     a seat's question: answered from the store, or by a caller
callers, caller, called          one call: cache, budget, tries, what came of it
gate, limits, ledger             when a request may leave; what was asked of each endpoint before
retry, estimate, prices, budget  when it is sent again, and what it costs
cache, database                  replies of other runs, in a file that processes share
store: call_rows, game_rows      what is kept, as rows of the run's own database
folder, runfile, tables, lock    the run's files, opened by somebody who trusts none of them
transaction, packing             all or nothing; texts in little room
replay, recorded, check          what is kept, as games and replies again, and whether it is whole
status, progress, outcome        how far it came
call_table                       every prompt and reply, as a table
================================ ==============================================================
"""
