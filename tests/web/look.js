// What can be measured of a page as it is drawn. One object, made anew for every question.
(() => {
  const TARGETS =
    "button, a[href], input, select, textarea, summary, [role=button], [role=radio], [role=tab], [role=switch], [role=option]";
  const name = (element) =>
    `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}.${element.getAttribute("class") ?? ""} "${(
      element.getAttribute("aria-label") ?? element.textContent ?? ""
    )
      .trim()
      .slice(0, 60)}"`;
  const box = (element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    return { left, top, right, bottom, width, height };
  };
  const style = (element) => getComputedStyle(element);
  /** For eyes, not only for screen readers. */
  const seen = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    for (let each = element; each !== null; each = each.parentElement) {
      const { width, height } = each.getBoundingClientRect();
      const { overflowX, clipPath, display } = style(each);
      if (display !== "contents" && (width <= 1 || height <= 1) && overflowX !== "visible") return false;
      if (clipPath.startsWith("inset(50%")) return false;
      if (each.closest("[inert]") !== null) return false;
    }
    return true;
  };
  const clippers = (element) => {
    const found = [];
    for (let each = element; each !== null && each !== document.documentElement; each = each.parentElement) {
      const { overflowX, overflowY } = style(each);
      if (overflowX !== "visible" || overflowY !== "visible") found.push(each);
      if (style(each).position === "fixed") break;
    }
    return found;
  };
  const scrolls = (element) =>
    element.closest("[role=log], [role=dialog], dialog, [data-scrolls]") !== null;

  /** Everything that somebody can press. */
  function targets() {
    return [...document.querySelectorAll(TARGETS)].filter((each) => seen(each) && !each.disabled);
  }

  /** What would need scrolling, or is cut off, or sticks out. */
  function faults({ scroll = true, wide = innerWidth, high = innerHeight } = {}) {
    const found = [];
    const root = document.scrollingElement;
    if (root.scrollWidth > wide + 1) found.push(`the page is ${root.scrollWidth} wide, of ${wide}`);
    if (!scroll && root.scrollHeight > high + 1)
      found.push(`the page is ${root.scrollHeight} high, of ${high}`);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      const element = text.parentElement;
      if (!text.data.trim() || element === null || /SCRIPT|STYLE|NOSCRIPT|TEMPLATE|OPTION/.test(element.tagName)) continue;
      if (element.closest("[hidden]") !== null || !seen(element)) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const rect of range.getClientRects()) {
        if (rect.width < 1) continue;
        const where = `${name(element)} of ${name(element.closest("button, a, section, header, footer, main, li, div") ?? element)}`;
        if (rect.left < -1 || rect.right > wide + 1)
          found.push(`text sticks out of the screen: ${where}`);
        if (!scroll && !scrolls(element) && (rect.top < -1 || rect.bottom > high + 1))
          found.push(`text is below or above the screen: ${where}`);
        for (const clipper of clippers(element)) {
          const edge = clipper.getBoundingClientRect();
          const { overflowX, overflowY } = style(clipper);
          if (overflowX !== "visible" && (rect.left < edge.left - 1.5 || rect.right > edge.right + 1.5))
            found.push(`text is cut off at the side: ${where} in ${name(clipper)}`);
          if (overflowY === "visible" || scrolls(element) || scrolls(clipper)) continue;
          if (scroll && clipper.scrollHeight > clipper.clientHeight + 2 && /auto|scroll/.test(overflowY)) continue;
          if (rect.top < edge.top - 3 || rect.bottom > edge.bottom + 3)
            found.push(`text is cut off above or below: ${where} in ${name(clipper)}`);
        }
      }
    }
    return [...new Set(found)];
  }

  /** Targets that are too small for a finger, out of sight, or covered by something else. */
  function small({ least = 24, scroll = true } = {}) {
    const found = [];
    for (const each of targets()) {
      const label = each.closest("label") ?? (each.id ? document.querySelector(`label[for="${CSS.escape(each.id)}"]`) : null);
      const rects = [each, label].filter((part) => part !== null && seen(part)).map(box);
      if (rects.length === 0) continue;
      const inText = each.tagName === "A" && style(each).display === "inline";
      if (!inText && !rects.some(({ width, height }) => width >= least - 0.5 && height >= least - 0.5))
        found.push(`${name(each)} is ${rects.map(({ width, height }) => `${width.toFixed(1)} x ${height.toFixed(1)}`).join(" / ")}`);
      const { left, top, width, height } = rects[0];
      const [x, y] = [left + width / 2, top + height / 2];
      if (x < 0 || x > innerWidth || y < 0 || y > innerHeight) {
        if (!scroll && !scrolls(each)) found.push(`${name(each)} is outside of the screen`);
        continue;
      }
      const over = document.elementFromPoint(x, y);
      if (over !== null && !each.contains(over) && !over.contains(each) && !(label?.contains(over) ?? false))
        found.push(`${name(each)} lies below ${name(over)}`);
    }
    return [...new Set(found)];
  }

  /** Where every target lies, by its name, in the order of the page. */
  function places() {
    return targets().map((each) => {
      const { left, top, width, height } = box(each);
      return [name(each), Math.round(left), Math.round(top), Math.round(width), Math.round(height)];
    });
  }

  /** Texts that are no texts: keys, unfilled places, values that are missing. */
  function gaps() {
    const found = [];
    const bad = /\bweb\.[a-z]+\.|\{\w+\}|\bundefined\b|\bNaN\b|\[object |\bnull\b/;
    for (const element of document.body.querySelectorAll("*")) {
      if (/SCRIPT|STYLE/.test(element.tagName) || element.closest("#sprite, #boot") !== null) continue;
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE && bad.test(node.data)) found.push(node.data);
      for (const attribute of ["aria-label", "title", "placeholder", "alt", "aria-description", "aria-roledescription"])
        if (bad.test(element.getAttribute(attribute) ?? "")) found.push(`${attribute}: ${element.getAttribute(attribute)}`);
    }
    return found;
  }

  return { faults, small, places, gaps };
})()
