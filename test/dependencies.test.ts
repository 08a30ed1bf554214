import { expect, test } from 'vitest'
import { dependencyProblems, type Lock } from '../scripts/lib/dependencies.ts'

const fine = { version: '1.2.3', integrity: 'sha512-abc', license: 'MIT' }
const problems = (locked: Partial<Lock['packages'][string]>, version = '1.2.3') =>
  dependencyProblems(
    { dependencies: { ink: version }, devDependencies: {} },
    { packages: { '': {}, 'node_modules/ink': { ...fine, ...locked } } },
  )

test('a package of an exact version, with a checksum and a licence to serve it, is no problem', () => {
  expect(problems({})).toEqual([])
})

test.each([
  ['a range of versions', problems({ version: '^1.2.3' }, '^1.2.3'), 'not an exact version'],
  ['a version that the lock does not have', problems({}, '1.2.4'), 'another version'],
  ['no checksum', problems({ integrity: '' }), 'no checksum'],
  ['a weak checksum', problems({ integrity: 'sha1-abc' }), 'no checksum'],
  ['an address outside the registry', problems({ resolved: 'git+ssh://x/ink.git' }), 'from elsewhere'],
  ['a program run on install', problems({ hasInstallScript: true }), 'when it is installed'],
  ['a package that was given up', problems({ deprecated: 'use pen' }), 'given up: use pen'],
  ['a licence that binds what we serve', problems({ license: 'AGPL-3.0' }), 'AGPL-3.0'],
])('%s is a problem', (_, found, words) => {
  expect(found).toEqual([expect.stringContaining(words)])
})

test('a tool may have any licence: it is not served', () => {
  expect(problems({ license: 'LGPL-3.0-or-later', dev: true })).toEqual([])
})
