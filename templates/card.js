// Comfort on top of a page that works without it: tables sort and filter, folded parts open for print and for links.
(function () {
  "use strict";

  // A cell's own key, else its first line; in a column of numbers the number that it begins with, null where there is none.
  function sortKey(row, column, isNumber) {
    var cell = row.cells[column];
    var text = cell.firstChild ? cell.firstChild.textContent.trim() : "";
    var key = cell.hasAttribute("data-sort") ? cell.getAttribute("data-sort") : text;
    if (!isNumber) { return key; }
    var number = parseFloat(key.replace(/,/g, "").replace("\u2212", "-").replace("+", ""));
    return isNaN(number) ? null : number;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") { return a - b; }
    var x = Number(a), y = Number(b);
    if (a !== "" && b !== "" && !isNaN(x) && !isNaN(y)) { return x - y; }
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  }

  function sortBy(table, column, heading) {
    var direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    var body = table.tBodies[0];
    var rows = Array.prototype.slice.call(body.rows);
    var isNumber = heading.classList.contains("number");
    rows.sort(function (one, other) {
      var a = sortKey(one, column, isNumber), b = sortKey(other, column, isNumber);
      return (a === null) - (b === null) || (a === null ? 0 : direction * compare(a, b));
    });
    rows.forEach(function (row) { body.appendChild(row); });
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell) { cell.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
  }

  function makeSortable(table) {
    if (!table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length < 3) { return; }
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (heading, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      while (heading.firstChild) { button.appendChild(heading.firstChild); }
      heading.appendChild(button);
      button.addEventListener("click", function () { sortBy(table, column, heading); });
    });
  }

  function makeFilter(table) {
    var name = table.getAttribute("data-filter");
    if (name === null) { return; }
    var field = document.createElement("input");
    var count = document.createElement("span");
    var bar = document.createElement("div");
    field.type = "search";
    field.placeholder = "Filter rows";
    field.setAttribute("aria-label", "Filter the rows of: " + name);
    count.setAttribute("role", "status");
    bar.className = "filter";
    bar.appendChild(field);
    bar.appendChild(count);
    table.closest(".scroll").before(bar);
    field.addEventListener("input", function () {
      var words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.indexOf(word) !== -1; });
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = words.length ? shown + " of " + table.tBodies[0].rows.length + " rows" : "";
    });
  }

  // What scrolls says so above it; what does not scroll needs no stop on the way of the tab key.
  function stopsOnlyWhereItScrolls() {
    Array.prototype.forEach.call(document.querySelectorAll(".scroll, .drawing"), function (one) {
      var scrolls = one.scrollWidth > one.clientWidth + 1;
      var cue = one.previousElementSibling;
      var told = cue !== null && cue.classList.contains("scroll-cue");
      if (scrolls) { one.setAttribute("tabindex", "0"); } else { one.removeAttribute("tabindex"); }
      if (scrolls && !told) {
        cue = document.createElement("p");
        cue.className = "scroll-cue";
        cue.textContent = "More to the right: scroll sideways \u2192";
        one.before(cue);
      }
      if (!scrolls && told) { cue.remove(); }
    });
  }

  function openAround(node) {
    for (var one = node; one; one = one.parentElement) {
      if (one.tagName === "DETAILS") { one.open = true; }
    }
  }

  function followHash() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) { openAround(target); target.scrollIntoView(); }
  }

  Array.prototype.forEach.call(document.querySelectorAll("table"), function (table) {
    if (table.classList.contains("sign-off") || table.closest(".prose")) { return; }
    makeSortable(table);
    makeFilter(table);
  });
  window.addEventListener("hashchange", followHash);
  window.addEventListener("beforeprint", function () {
    Array.prototype.forEach.call(document.querySelectorAll("details"), function (one) { one.open = true; });
  });
  window.addEventListener("resize", stopsOnlyWhereItScrolls);
  document.addEventListener("toggle", stopsOnlyWhereItScrolls, true);
  stopsOnlyWhereItScrolls();
  followHash();
})();
