import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../words";
import "./share.css";

interface ShareProps {
  text: string;
  link: string;
}

/** Tell others: with the device's own sheet, else copied, else as text to select. */
export function ShareButton({ text, link }: ShareProps): VNode {
  const [told, tell] = useState<"" | "copied" | "select">("");
  const shown = useRef<HTMLParagraphElement>(null);
  const whole = `${text}\n${link}`;
  useEffect(() => {
    if (told === "select" && shown.current !== null)
      getSelection()?.selectAllChildren(shown.current);
  }, [told]);

  async function share(): Promise<void> {
    try {
      await navigator.share({ text, url: link });
      return;
    } catch (error) {
      // Somebody who closes the sheet wants nothing copied.
      if (error instanceof DOMException && error.name === "AbortError") return;
    }
    try {
      await navigator.clipboard.writeText(whole);
      tell("copied");
    } catch {
      tell("select");
    }
  }

  return (
    <>
      <button type="button" class="button" onClick={() => void share()}>
        {t("web.share.share")}
      </button>
      <div class="share-told" role="status">
        {told === "copied" && <p>{t("web.share.copied")}</p>}
        {told === "select" && (
          <>
            <p>{t("web.share.select")}</p>
            <p class="share-text" ref={shown}>
              {whole}
            </p>
          </>
        )}
        {told !== "" && (
          <button type="button" class="button" onClick={() => tell("")}>
            {t("web.play.close")}
          </button>
        )}
      </div>
    </>
  );
}
