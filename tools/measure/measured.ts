import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import { startStack, type Stack } from '../operate/local/stack.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** Requests with this `Host` go to the bare Hono Worker. */
export const HELLO_HOST = 'hello.test'
const HELLO = `
import { Hono } from './node_modules/hono/dist/index.js'
export default new Hono().get('*', (c) => c.text('hello'))`

/** Starts the built Worker, wrapped in the benchmark's entry, and a bare Hono Worker in the same runtime. */
export function startMeasured(state: string): Promise<Stack> {
  const entry = stripTypeScriptTypes(readFileSync(resolve(import.meta.dirname, 'entry.ts'), 'utf8'))
  return startStack({
    port: 0,
    sandboxPort: 0,
    state,
    entry: entry.replaceAll("'built-worker'", "'./index.js'"),
    beside: [
      {
        name: 'hello',
        routes: [`${HELLO_HOST}/*`],
        rootPath: ROOT,
        modules: [
          { type: 'ESModule', path: 'hello.js', contents: HELLO },
          ...globSync('node_modules/hono/dist/{*,{router,utils,request,helper/route}/**/*}.js', {
            cwd: ROOT,
          }).map((path) => ({
            type: 'ESModule' as const,
            path,
          })),
        ],
        compatibilityDate: '2026-08-01',
      },
    ],
  })
}
