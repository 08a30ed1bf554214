import { expect, test } from 'vitest'
import { nextPath } from './next-path.ts'

test('a path of ours is where one was going', () => {
  expect(nextPath('?next=%2Fcreate-memorial%2Fmem_1%3Fstep%3D2')).toBe('/create-memorial/mem_1?step=2')
})

test.each([
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
  '',
  '/a\\b',
])('an address that could leave the site (%j) becomes the dashboard', (next) => {
  expect(nextPath(`?next=${encodeURIComponent(next)}`)).toBe('/dashboard')
})
