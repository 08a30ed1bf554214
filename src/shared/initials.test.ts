import { expect, test } from 'vitest'
import { initialsOf } from './initials.ts'

test('initials are the first letters of the first and last word, in capitals', () => {
  const names = ['Tendai Rudo Moyo', 'rudo', '  nomsa   ndlovu ', '', 'Élise 𝒁ulu', 'A B C D']
  expect(names.map(initialsOf)).toEqual(['TM', 'R', 'NN', '', 'É𝒁', 'AD'])
})
