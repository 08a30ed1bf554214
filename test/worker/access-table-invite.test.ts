import { test } from 'vitest'
import { expectAccess } from './access-table.ts'

test('who may do what with a memorial that is INVITE', { timeout: 120_000 }, () => expectAccess('INVITE'))
