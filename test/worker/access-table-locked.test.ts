import { test } from 'vitest'
import { expectAccess } from './access-table.ts'

test('who may do what with a memorial that is LOCKED', { timeout: 120_000 }, () => expectAccess('LOCKED'))
