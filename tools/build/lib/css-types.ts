import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Plugin } from 'vite'

const CLIENT = resolve(import.meta.dirname, '../../../src/client')
/** Merged with src/client through `rootDirs` in its tsconfig.json. */
const TYPES = resolve(import.meta.dirname, '../../../.tsbuild/css-types')

/** Writes a declaration for each CSS module, so that the compiler finds misspelt classes. Skips files that are up to date. */
export function writeCssTypes(): void {
  const declarations = new Map(
    globSync('**/*.module.css', { cwd: CLIENT }).map((path) => [
      path.replace(/\.css$/u, '.d.css.ts'),
      declarationOf(readFileSync(resolve(CLIENT, path), 'utf8')),
    ]),
  )
  for (const path of globSync('**/*.d.css.ts', { cwd: TYPES })) {
    if (!declarations.has(path)) rmSync(resolve(TYPES, path))
  }
  for (const [path, declaration] of declarations) {
    const file = resolve(TYPES, path)
    if (existsSync(file) && readFileSync(file, 'utf8') === declaration) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, declaration)
  }
}

/** Vite plugin that writes the declarations whenever a build or the development server starts. */
export function cssTypes(): Plugin {
  return { name: 'css-types', buildStart: writeCssTypes }
}

/** The declaration of a CSS module: its class names, without those in `:global()`, comments, strings and URLs. */
function declarationOf(css: string): string {
  const selectors = css.replaceAll(/\/\*[\s\S]*?\*\/|"[^"]*"|'[^']*'|url\([^)]*\)|:global\([^)]*\)/gu, ' ')
  const names = new Set(Array.from(selectors.matchAll(/\.([A-Za-z_][\w-]*)/gu), ([, name = '']) => name))
  const members = [...names].toSorted().map((name) => `  readonly '${name}': string\n`)
  return `declare const styles: {\n${members.join('')}}\nexport default styles\n`
}
