import type { VNode } from "preact";
import { boardSize, type Pitch, SLOTS, slotRect } from "../board/geometry";
import type { BoardMarks } from "../board/Marks";
import { Sideboard } from "../board/Sideboard";
import type { Laid } from "../edition";

interface FreshProps {
  board: Laid[];
  pitch: Pitch;
  /** The columns that are new. */
  fresh: number[];
  label: string;
  marks?: BoardMarks | undefined;
}

/** A sideboard with a bar above its newest cards. */
export function FreshBoard({ board, pitch, fresh, label, marks }: FreshProps): VNode {
  const { w, h } = boardSize(pitch);
  return (
    <div class="over-fresh" style={{ width: `${w}px`, height: `${h}px` }}>
      <Sideboard
        board={board}
        pitch={pitch}
        wide={SLOTS}
        label={label}
        {...(marks === undefined ? {} : { marks })}
      />
      {fresh.map((column) => {
        const rect = slotRect(column, Math.max(board.length, 2), pitch);
        return <i key={column} style={{ left: `${rect.x}px`, width: `${rect.w}px` }} />;
      })}
    </div>
  );
}
