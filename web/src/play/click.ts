const SOON = 60;

/** Let the click pass that follows what was no click. */
export function swallowClick(): void {
  const swallow = (click: Event) => {
    click.stopPropagation();
    click.preventDefault();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), SOON);
}
