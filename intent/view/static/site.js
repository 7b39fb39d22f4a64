// The list of games on disk: filters and order, without a server.
{
  const start = () => {
    const form = document.getElementById("site-filters");
    const body = document.querySelector("table.games tbody");
    if (!form || !body) return;
    const data = JSON.parse(form.dataset.values);
    const rows = [...body.rows].map((row, i) => ({ row, ...data.games[i], words: row.textContent.toLowerCase() }));
    const ofSeats = new Set(data.seats);
    for (const field of form.querySelectorAll("[data-column]")) {
      field.column = JSON.parse(field.dataset.column);
      if ("value" in field.dataset) field.choice = JSON.parse(field.dataset.value);
    }
    const title = document.querySelector("#results h1");
    const meets = (values, one) => {
      const own = values[one.column] ?? [""];
      if (one.chosen) return own.some((value) => one.chosen.has(String(value)));
      const number = own[0];
      return typeof number === "number" && number >= one.low && number <= one.high;
    };
    const conditions = () => {
      const by = new Map();
      for (const box of form.querySelectorAll("input[data-value]:checked")) {
        if (!by.has(box.column)) by.set(box.column, { column: box.column, chosen: new Set() });
        by.get(box.column).chosen.add(box.choice);
      }
      for (const field of form.querySelectorAll("input[data-bound]")) {
        if (field.value === "") continue;
        const { column, dataset: { bound } } = field;
        if (!by.has(column)) by.set(column, { column, low: -Infinity, high: Infinity });
        by.get(column)[bound] = Number(field.value);
      }
      return [...by.values()];
    };
    // One and the same seat has to meet all conditions on columns of seats.
    const seatsLeft = (game, held) => {
      if (held.some((one) => !ofSeats.has(one.column) && !meets(game.game, one))) return null;
      const own = held.filter((one) => ofSeats.has(one.column));
      const seats = game.seats.filter((seat) => own.every((one) => meets(seat, one)));
      return own.length && !seats.length ? null : seats;
    };
    const filter = () => {
      const held = conditions();
      const words = document.getElementById("add").value.trim().toLowerCase();
      let n = 0;
      for (const one of rows) {
        one.row.hidden = !one.words.includes(words) || seatsLeft(one, held) === null;
        n += !one.row.hidden;
      }
      title.textContent = n === rows.length ? `${n} game${n === 1 ? "" : "s"}` : `${n} of ${rows.length} games`;
      document.getElementById("said").textContent = title.textContent;
      for (const facet of form.querySelectorAll("details.facet")) {
        const boxes = [...facet.querySelectorAll("input[data-value]")];
        if (!boxes.length) continue;
        const { column } = boxes[0];
        const others = held.filter((one) => one.column !== column);
        const counts = new Map();
        for (const one of rows) {
          const seats = one.words.includes(words) ? seatsLeft(one, others) : null;
          if (seats === null) continue;
          for (const part of ofSeats.has(column) ? seats : [one.game]) {
            for (const value of part[column] ?? [""]) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
          }
        }
        for (const box of boxes) box.parentElement.querySelector(".count").textContent = counts.get(box.choice) ?? 0;
      }
    };
    let order = null;
    const key = (one, column, sign) => {
      const parts = ofSeats.has(column) ? one.seats : [one.game];
      const values = parts.map((part) => (part[column] ?? [""]).join("|")).filter((value) => value !== "");
      if (!values.length) return null;
      const typed = values.every((value) => !Number.isNaN(Number(value))) ? values.map(Number) : values;
      return typed.reduce((best, value) => ((value < best) === (sign > 0) ? value : best));
    };
    const sort = (column, th) => {
      const sign = order?.column === column ? (order.sign > 0 ? -1 : 0) : 1;
      order = sign ? { column, sign } : null;
      for (const other of document.querySelectorAll("table.games th[aria-sort]")) {
        other.setAttribute("aria-sort", "none");
        other.querySelector(".arrow")?.remove();
      }
      let sorted = rows;
      if (order) {
        const keys = new Map(rows.map((one) => [one, key(one, column, sign)]));
        sorted = [...rows].sort((a, b) => {
          const [x, y] = [keys.get(a), keys.get(b)];
          if (x === null || y === null) return (x === null) - (y === null);
          return typeof x === typeof y ? sign * ((x > y) - (x < y)) : typeof x === "number" ? -1 : 1;
        });
        th.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        const arrow = document.createElement("span");
        arrow.className = "arrow";
        arrow.ariaHidden = "true";
        arrow.textContent = sign > 0 ? " ▲" : " ▼";
        th.querySelector("a").append(arrow);
      }
      body.append(...sorted.map((one) => one.row));
    };
    [...document.querySelectorAll("table.games th[aria-sort] a")].forEach((link, i) => {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        sort(data.headings[i], link.closest("th"));
      });
    });
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    filter();
  };
  document.addEventListener("DOMContentLoaded", start);
}
