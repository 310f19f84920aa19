import type { VNode } from "preact";
import { boardSize, fitPitch } from "../board/geometry";
import { Sideboard } from "../board/Sideboard";
import { parseBoard } from "../edition";
import { signed, t } from "../words";
import { type Kind, lengthOf, marksOf, ranking } from "./result";
import { type Scene, useSize } from "./scene";

const COLUMNS = 8;

interface OthersProps {
  scene: Scene;
  /** Whose board is shown large, and so not here. */
  seat: number;
  kinds: readonly Kind[];
  /** Everybody's points so far. */
  sums: number[];
  told: boolean;
  onSeat: (seat: number) => void;
}

/** All other boards, small, with the same marks as the large one. */
export function Others({ scene, seat, kinds, sums, told, onSeat }: OthersProps): VNode {
  const { result, names } = scene;
  const order = told ? ranking(result.players) : result.players.map((_, each) => each);
  const others = order.filter((each) => each !== seat);
  return (
    <section class={`over-others of-${others.length}`} aria-label={t("web.over.others")}>
      <h2>{t("web.over.others")}</h2>
      <ul>
        {others.map((each) => (
          <li key={each}>
            <button type="button" class="over-small-board" onClick={() => onSeat(each)}>
              <span class={`name ${lengthOf(names[each])}`}>{names[each]}</span>
              <b>{sums[each]}</b>
              <SmallBoard scene={scene} seat={each} kinds={kinds} told={told} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SmallBoard(props: {
  scene: Scene;
  seat: number;
  kinds: readonly Kind[];
  told: boolean;
}): VNode {
  const { view, result } = props.scene;
  const [ref, size] = useSize<HTMLSpanElement>();
  const pitch = fitPitch(size.w - 2, 400, { w: 34, h: 23.4 }, COLUMNS);
  const player = result.players[props.seat];
  const high = size.w === 0 ? 0 : boardSize(pitch, COLUMNS).h;
  return (
    <span class="over-small" ref={ref} style={{ minHeight: `${high}px` }}>
      {size.w > 0 && player !== undefined && (
        <Sideboard
          board={parseBoard(view.boards[props.seat] ?? "")}
          pitch={pitch}
          wide={COLUMNS}
          marks={marksOf(player, props.kinds, false)}
        />
      )}
    </span>
  );
}

/** The lengths of all rows side by side, the longest first, with what each gets. */
export function Lengths({ scene }: { scene: Scene }): VNode {
  const { result, names } = scene;
  const order = result.players
    .map((player, seat) => ({ seat, length: player.row.length, bonus: player.bonus }))
    .sort((one, other) => other.length - one.length);
  const most = Math.max(1, ...order.map(({ length }) => length));
  return (
    <ol class="over-lengths">
      {order.map(({ seat, length, bonus }) => (
        <li key={seat}>
          <span class={`name ${lengthOf(names[seat])}`}>{names[seat]}</span>
          <span class="bar">
            <i style={{ width: `${(100 * length) / most}%` }} />
          </span>
          <span>{length}</span>
          <b>{signed(bonus)}</b>
        </li>
      ))}
    </ol>
  );
}
