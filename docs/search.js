/* How the search of the site ranks and reads a query. Sphinx puts this file into the page of results, after its own
   search and before a query is answered. */
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  // Guides before histories: the record of decisions and changes mentions every word once.
  weights: [
    [/^docs\/decisions\//, 0.2],
    [/^CHANGELOG$/, 0.1],
    [/^docs\/api\//, 0.5],
    [/^(experiments|benchmarks|requirements)\//, 0.6],
    [/^notebooks\/\d/, 0.8],
    [/^docs\/(cli|codebook|design|gallery)$/, 0.8],
  ],
  score: ([page, , , , score]) => {
    const [, weight] = Scorer.weights.find(([pages]) => pages.test(page)) || [null, 1];
    return score * weight;
  },
};

/* Words of a question that say nothing about its subject. */
const ASKING = new Set(
  "how do i can you what is are does the a an to my of which where when why should we it me use using with for in on get".split(" "),
);

/* Words of the index within a longer query: "read a csv file" is about csv. */
const indexedWithin = (query) => {
  const { indexentries, docnames, titles, filenames } = Search._index;
  const padded = ` ${query.toLowerCase().replace(/[?!.,]/g, " ").trim()} `;
  return Object.entries(indexentries)
    .filter(([entry]) => padded.length - 2 > entry.length && entry.length > 2 && padded.includes(` ${entry} `))
    .flatMap(([entry, places]) =>
      places.map(([file, id]) => [
        docnames[file], titles[file], id ? `#${id}` : "", null,
        Scorer.score([docnames[file], , , , (80 * entry.length) / (padded.length - 2)]), filenames[file], "index",
      ]),
    );
};

/* Pages that have some of the words, where none has all. */
const havingSome = (words, excluded) => {
  const pages = new Map();
  for (const word of words) {
    for (const result of Search.performTermsSearch(new Set([word]), excluded)) {
      const before = pages.get(result[0]);
      if (before) before[4] += Scorer.score(result);
      else pages.set(result[0], [...result.slice(0, 4), Scorer.score(result), ...result.slice(5)]);
    }
  }
  return [...pages.values()];
};

if (typeof Search !== "undefined") {
  const parsed = Search._parseQuery;
  Search._parseQuery = (query) => {
    const words = query.replace(/[?!]/g, " ").trim().split(/\s+/);
    const subject = words.filter((word) => !ASKING.has(word.toLowerCase()));
    const [, ...rest] = parsed(words.length > 2 && subject.length ? subject.join(" ") : query);
    return [query, ...rest];
  };
  const performed = Search._performSearch;
  Search._performSearch = (query, words, excluded, ...rest) => {
    let results = performed(query, words, excluded, ...rest);
    if (!results.length && words.size > 1) results = havingSome(words, excluded);
    // a page once, at its best: its title and each of its headings may all have matched
    const best = new Map();
    for (const result of [...results, ...indexedWithin(query)]) {
      const name = result[6] === "object" ? result.join(" ") : result[0];
      if (!best.has(name) || best.get(name)[4] < result[4]) best.set(name, result);
    }
    return [...best.values()].sort((one, other) => one[4] - other[4]);
  };
}
