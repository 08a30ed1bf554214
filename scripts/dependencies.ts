import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { countPackages, dependencyProblems, type Lock, type Manifest } from './lib/dependencies.ts'

/** Checks the packages that the product is made of, without a network. */
const root = resolve(import.meta.dirname, '..')
const read = (name: string): unknown => JSON.parse(readFileSync(resolve(root, name), 'utf8'))
const manifest = read('package.json') as Manifest
const lock = read('package-lock.json') as Lock
const problems = dependencyProblems(manifest, lock)
for (const problem of problems) console.log(problem)
const { served, tools } = countPackages(lock)
console.log(`${served} packages served, ${tools} tools; known holes are asked of the registry: npm run audit`)
process.exit(problems.length === 0 ? 0 : 1)
