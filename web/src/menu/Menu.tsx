import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Later } from "../app";
import { t } from "../words";
import "./menu.css";

export interface MenuEntries {
  /** What only this page offers: links and buttons, shown first. */
  extra?: VNode[];
}

const loadSheet = async () => (await import("./Sheet")).Sheet;

/** The burger button; its sheet has the settings, and what the page adds. */
export function Menu({ extra = [] }: MenuEntries): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  // The browser's own dialog keeps the focus inside, closes with Esc and gives the focus back.
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  const close = (): void => dialog.current?.close();

  return (
    <>
      <button
        type="button"
        class="menu-button"
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={t("web.menu.open")}
        onClick={() => setOpen(true)}
      >
        <svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
          <path d="M3 6h18M3 12h18M3 18h18" stroke="currentColor" stroke-width="2.4" />
        </svg>
      </button>
      {open && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: Esc is the dialog's own key
        <dialog
          ref={dialog}
          class="menu"
          aria-labelledby="menu-title"
          onClose={() => setOpen(false)}
          onClick={(event) => event.target === dialog.current && close()}
        >
          <div class="menu-sheet">
            <div class="menu-head">
              <h2 id="menu-title">{t("web.menu.open")}</h2>
              <button
                type="button"
                class="menu-button"
                aria-label={t("web.menu.close")}
                onClick={close}
              >
                <svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
                  <path d="M5 5l14 14M19 5L5 19" stroke="currentColor" stroke-width="2.4" />
                </svg>
              </button>
            </div>
            <Later load={loadSheet} props={{ extra, close }} />
          </div>
        </dialog>
      )}
    </>
  );
}
