import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { nameOf } from "../sentences";
import type { AtTable, Local } from "../table/TableRoute";
import { isDue } from "../table/turn";
import { t } from "../words";
import { type Desk, openDesk } from "./desk";
import { Screen } from "./Screen";

/** Somebody's desk, as long as it is shown; what was tried is kept on the device. */
function useDesk({ place, sitting }: Local): Desk {
  const [desk] = useState(() =>
    openDesk(place, `sideboards.draft.${sitting?.table ?? ""}.${sitting?.seat ?? ""}`),
  );
  useEffect(() => desk.close, [desk]);
  return desk;
}

/** Between two people who share a device: hides the hand until the next one has it. */
function Cover({ name, done }: { name: string; done: () => void }): VNode {
  return (
    <main class="play-cover">
      <h1>{t("web.play.hand_over", { name })}</h1>
      <button type="button" class="button main" onClick={done}>
        {t("web.play.hand_over.done", { name })}
      </button>
    </main>
  );
}

/** The game as the people of this device see it: one at a time. */
export function Play({ locals }: AtTable): VNode {
  const [holder, hand] = useState<number | null>(null);
  const [first] = locals;
  const due = locals.find(isDue);
  const held = locals.find((local) => local.sitting?.seat === holder);
  const local = (held !== undefined && isDue(held) ? held : (due ?? held)) ?? first;
  if (local === undefined) return <div class="loading" aria-busy="true" />;
  const seat = local.sitting?.seat ?? null;
  if (locals.length > 1 && seat !== null && seat !== holder) {
    const name = nameOf(local.place.table.value?.seats ?? [], seat);
    return <Cover name={name} done={() => hand(seat)} />;
  }
  return <At key={seat ?? -1} local={local} />;
}

function At({ local }: { local: Local }): VNode {
  return <Screen local={local} desk={useDesk(local)} />;
}
