import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const OUT = "../src/sideboards/service/static";
const SMALL = 1000;

/** Writes a .br and a .gz beside every text file, so that the server never compresses. */
function compressed(): Plugin {
  return {
    name: "compressed",
    closeBundle() {
      for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
        const file = join(entry.parentPath, entry.name);
        if (!entry.isFile() || !/\.(js|css|svg|json)$/.test(file)) continue;
        const bytes = readFileSync(file);
        if (bytes.length < SMALL) continue;
        writeFileSync(`${file}.br`, brotliCompressSync(bytes));
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
      },
    },
  },
  plugins: [compressed()],
  test: { include: ["src/**/*.test.{ts,tsx}"], setupFiles: ["./vitest.setup.ts"] },
});
