import { settings } from "./settings";

/** Five small sounds; each only repeats what can be seen and read. */
export type Sound = "tick" | "lock" | "swap" | "pass" | "gain";

interface Note {
  pitch: number;
  after: number;
  lasts: number;
  loud: number;
}

const NOTES: Record<Sound, Note[]> = {
  tick: [{ pitch: 1150, after: 0, lasts: 0.035, loud: 0.05 }],
  lock: [
    { pitch: 330, after: 0, lasts: 0.06, loud: 0.12 },
    { pitch: 220, after: 0.05, lasts: 0.1, loud: 0.12 },
  ],
  swap: [
    { pitch: 520, after: 0, lasts: 0.06, loud: 0.07 },
    { pitch: 390, after: 0.07, lasts: 0.06, loud: 0.07 },
    { pitch: 620, after: 0.14, lasts: 0.08, loud: 0.07 },
  ],
  pass: [
    { pitch: 480, after: 0, lasts: 0.07, loud: 0.06 },
    { pitch: 600, after: 0.22, lasts: 0.09, loud: 0.06 },
  ],
  gain: [{ pitch: 660, after: 0, lasts: 0.14, loud: 0.07 }],
};

let context: AudioContext | null = null;
let awake = false;

/** Sounds begin with the first own action; browsers want it so, and so do people. */
export function wake(): void {
  if (awake || !settings.value.sound || typeof AudioContext === "undefined") return;
  awake = true;
  // It takes 40 ms: what the action changes is shown first.
  requestAnimationFrame(() =>
    setTimeout(() => {
      context = new AudioContext();
    }),
  );
}

/** Play a sound, higher by `step` tones; silent where sound is off or nothing was done yet. */
export function play(sound: Sound, step = 0): void {
  if (sound === "lock" && navigator.userActivation?.hasBeenActive === true) navigator.vibrate?.(12);
  if (context === null || !settings.value.sound) return;
  const start = context.currentTime;
  for (const { pitch, after, lasts, loud } of NOTES[sound]) {
    const voice = context.createOscillator();
    const gain = context.createGain();
    voice.type = "triangle";
    voice.frequency.value = pitch * 2 ** (step / 6);
    gain.gain.setValueAtTime(0, start + after);
    gain.gain.linearRampToValueAtTime(loud, start + after + 0.006);
    gain.gain.exponentialRampToValueAtTime(0.0001, start + after + lasts);
    voice.connect(gain).connect(context.destination);
    voice.start(start + after);
    voice.stop(start + after + lasts + 0.02);
  }
}
