import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Locked = { optionalDependencies?: Record<string, string> }

test('the lock file names every optional binary for every platform', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Locked>
  }
  const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${folder}/node_modules/${name}` in packages),
      )
      .map((name) => `${folder}: ${name}`),
  )
  // If one is missing, `npm ci` fails here or on another platform.
  expect(missing).toEqual([])
})
