"""What a message must never change: focus, choice, text, scrolling, where targets lie."""

from typing import Any

from playwright.sync_api import Page

KEEP = """() => {
  const targets = [...document.querySelectorAll(
    "button, a[href], input, select, textarea, summary, [role=button], [role=radio]")]
    .filter((each) => each.checkVisibility());
  const box = (each) => { const {left, top, width, height} = each.getBoundingClientRect();
    return [left, top, width, height].map(Math.round).join(" "); };
  window.kept = {
    focus: document.activeElement,
    caret: [document.activeElement?.selectionStart, document.activeElement?.selectionEnd].join(),
    value: document.activeElement?.value,
    targets: targets.map((each) => [each, box(each)]),
    chosen: targets.filter((each) => each.ariaPressed === "true" || each.checked),
    scrolled: [...document.querySelectorAll("*")]
      .map((each) => [each, each.scrollTop, each.scrollLeft])
      .filter(([each, top, left]) => top || left || each === document.scrollingElement),
  };
}"""
CHANGED = """() => {
  const {focus, caret, value, targets, chosen, scrolled} = window.kept;
  const name = (each) => each?.outerHTML?.slice(0, 160);
  const box = (each) => { const {left, top, width, height} = each.getBoundingClientRect();
    return [left, top, width, height].map(Math.round).join(" "); };
  const found = [];
  const now = document.activeElement;
  if (now !== focus) found.push(`focus went from ${name(focus)} to ${name(now)}`);
  if ([now?.selectionStart, now?.selectionEnd].join() !== caret) found.push("the caret moved");
  if (now?.value !== value) found.push("the typed text changed");
  for (const [each, before] of targets) {
    if (!each.isConnected) found.push(`gone: ${name(each)}`);
    else if (box(each) !== before) found.push(`${name(each)} moved from ${before} to ${box(each)}`);
  }
  for (const each of chosen)
    if (each.ariaPressed !== "true" && !each.checked) found.push(`no longer chosen: ${name(each)}`);
  for (const [each, top, left] of scrolled)
    if (each.scrollTop !== top || each.scrollLeft !== left) found.push(`scrolled: ${name(each)}`);
  return found;
}"""


def keep(page: Page) -> None:
    """Note how it is now."""
    page.evaluate(KEEP)


def changed(page: Page) -> list[Any]:
    """What is no longer as it was noted."""
    found: list[Any] = page.evaluate(CHANGED)
    return found
