import type { VNode } from "preact";
import { t } from "../words";
import { fields, MOST, onScale, tierOf } from "./solo";

interface ScaleProps {
  total: number;
  par: number | null;
  best: number | null;
}

const percent = (share: number): string => `${100 * share}%`;

/** The scale from 0 to 70 with its five tiers, the own result, par and the best so far. */
export function Scale({ total, par, best }: ScaleProps): VNode {
  const tier = tierOf(total);
  const here = onScale(total);
  const said = t("web.over.scale", { total, title: t(`title.${tier}`), most: MOST });
  return (
    <div class="over-scale" role="img" aria-label={said}>
      <div class="fields">
        {fields().map((field) => (
          <div
            key={field.tier}
            class={field.tier === tier ? "field here" : "field"}
            style={{
              left: percent(onScale(field.from)),
              width: percent(onScale(field.to) - onScale(field.from)),
            }}
            title={t(`title.${field.tier}`)}
          >
            <i />
            <small>{field.from}</small>
          </div>
        ))}
        {best !== null && <i class="best" style={{ left: percent(onScale(best)) }} />}
        {par !== null && (
          <span
            class={`par ${onScale(par) > 0.5 ? "right" : ""}`}
            style={{ left: percent(onScale(par)) }}
          >
            <small>{t("web.over.par.mark", { par })}</small>
          </span>
        )}
        <span class={`marker ${here > 0.5 ? "right" : ""}`} style={{ left: percent(here) }}>
          <b class="flag">{total}</b>
        </span>
      </div>
    </div>
  );
}
