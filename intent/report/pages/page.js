"use strict";
document.querySelectorAll("table.sortable").forEach(function (table) {
  var heads = table.tHead.rows[0].cells;
  Array.prototype.forEach.call(heads, function (head, column) {
    var button = head.querySelector("button");
    if (!button) { return; }
    button.addEventListener("click", function () {
      var down = head.getAttribute("aria-sort") === "ascending";
      Array.prototype.forEach.call(heads, function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      var body = table.tBodies[0];
      var rows = Array.prototype.map.call(body.rows, function (row, place) {
        var text = row.cells[column].getAttribute("data-v") || row.cells[column].textContent.trim();
        var number = parseFloat(text);
        return { row: row, place: place, text: text, number: number };
      });
      var numeric = head.classList.contains("n");
      rows.sort(function (a, b) {
        if (numeric) {
          var lost = isNaN(a.number) - isNaN(b.number);
          if (lost) { return lost; }
          var apart = (a.number - b.number) || 0;
          return (down ? -apart : apart) || a.place - b.place;
        }
        var order = a.text.localeCompare(b.text, "en", { numeric: true });
        return (down ? -order : order) || a.place - b.place;
      });
      rows.forEach(function (entry) { body.appendChild(entry.row); });
    });
  });
});
