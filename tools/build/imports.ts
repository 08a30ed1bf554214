import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { importProblems } from './lib/import-arrows.ts'

/** Checks that the folders of src/worker import each other in one direction only. */
const root = resolve(import.meta.dirname, '../..')
const paths = globSync('src/worker/**/*.{ts,tsx}', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
const problems = importProblems(paths, (path) => readFileSync(resolve(root, path), 'utf8'))
for (const problem of problems) console.log(problem)
console.log(`${paths.length} files, ${problems.length} imports in the wrong direction`)
process.exit(problems.length === 0 ? 0 : 1)
