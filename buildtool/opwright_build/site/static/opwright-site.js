// The filter of functions in the side bar, and drawings that can be moved and zoomed. Texts become text nodes.
"use strict";

(() => {
  const list = document.getElementById("ow-functions");
  const filter = document.getElementById("ow-filter");
  const root = document.documentElement.dataset.content_root || "./";

  function fill() {
    if (!list || !window.opwrightFunctions) return;
    const here = list.dataset.here;
    list.replaceChildren();
    for (const [name, domain, page] of window.opwrightFunctions) {
      const link = document.createElement("a");
      link.href = root + page;
      link.textContent = name;
      link.title = domain;
      if (page === here) link.setAttribute("aria-current", "page");
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
      if (page === here) list.scrollTop = item.offsetTop - list.offsetTop - 60;
    }
  }

  function narrow() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of list.children) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
  }

  fill();
  if (list && filter) {
    filter.addEventListener("input", narrow);
    filter.addEventListener("keydown", (event) => {
      const first = [...list.children].find((item) => !item.hidden);
      if (event.key === "Enter" && filter.value && first) first.firstChild.click();
    });
  }

  for (const code of document.querySelectorAll(".highlight pre")) {
    if (code.scrollWidth > code.clientWidth) code.tabIndex = 0; // it scrolls by keys
  }

  // A drawing is seen through its viewBox: `x`, `y` and how many of its units a pixel shows.
  function drawing(view) {
    const svg = view.querySelector("svg");
    const whole = svg.viewBox.baseVal;
    const size = { width: whole.width, height: whole.height };
    let x = 0, y = 0, scale = 1;

    function show() {
      svg.setAttribute("viewBox", `${x} ${y} ${view.clientWidth * scale} ${view.clientHeight * scale}`);
    }
    function all() {
      scale = Math.max(size.width / view.clientWidth, size.height / view.clientHeight, 0.7);
      x = (size.width - view.clientWidth * scale) / 2;
      y = Math.min(0, (size.height - view.clientHeight * scale) / 2);
      show();
    }
    function begin() {
      scale = Math.min(Math.max(size.width / view.clientWidth, 1), 1.6);
      x = (size.width - view.clientWidth * scale) / 2;
      y = 0;
      show();
    }
    function zoom(factor, left, top) {
      const next = Math.min(Math.max(scale * factor, 0.2), 12);
      x += left * (scale - next);
      y += top * (scale - next);
      scale = next;
      show();
    }
    function zoomMiddle(factor) {
      zoom(factor, view.clientWidth / 2, view.clientHeight / 2);
    }
    function move(across, down) {
      x += across * scale;
      y += down * scale;
      show();
    }

    view.style.height = `${Math.min(size.height + 24, Math.max(window.innerHeight * 0.7, 320))}px`;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    view.classList.add("ow-live");
    begin();

    const keys = {
      "+": () => zoomMiddle(0.8), "=": () => zoomMiddle(0.8), "-": () => zoomMiddle(1.25), "0": all,
      ArrowLeft: () => move(-40, 0), ArrowRight: () => move(40, 0),
      ArrowUp: () => move(0, -40), ArrowDown: () => move(0, 40),
    };
    view.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      event.preventDefault();
      keys[event.key]();
    });
    view.addEventListener("wheel", (event) => {
      // Without a key the page scrolls, unless the drawing has the focus.
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== view) return;
      event.preventDefault();
      const box = view.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.12 : 0.89, event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });

    const fingers = new Map();
    let moved = false;
    view.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button) return;
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      moved = false;
    });
    view.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY];
      const other = [...fingers.entries()].find(([id]) => id !== event.pointerId);
      if (Math.hypot(now[0] - before[0], now[1] - before[1]) > 2) moved = true;
      if (other) {
        const [, still] = other;
        const box = view.getBoundingClientRect();
        const apart = (point) => Math.hypot(point[0] - still[0], point[1] - still[1]);
        if (apart(now) > 0) zoom(apart(before) / apart(now), still[0] - box.left, still[1] - box.top);
      } else if (moved) {
        view.setPointerCapture(event.pointerId);
        move(before[0] - now[0], before[1] - now[1]);
      } else {
        return;
      }
      fingers.set(event.pointerId, now);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      view.addEventListener(end, (event) => fingers.delete(event.pointerId));
    }
    view.addEventListener("click", (event) => {
      if (moved) event.preventDefault(); // the end of a move is no click on a link
    }, true);

    const tools = { in: () => zoomMiddle(0.7), out: () => zoomMiddle(1.43), all };
    for (const button of view.parentElement.querySelectorAll("[data-zoom]")) {
      button.addEventListener("click", () => tools[button.dataset.zoom]());
    }
    return begin;
  }

  const live = new WeakMap();
  function start() {
    for (const view of document.querySelectorAll(".ow-view")) {
      if (!live.has(view) && view.clientWidth) live.set(view, drawing(view));
    }
  }
  start();
  for (const folded of document.querySelectorAll("details")) folded.addEventListener("toggle", start);
})();
