import { test } from 'vitest'
import { expectSuspended } from './access-table.ts'

test('M1: an owner whose account is suspended is nobody, by every call', expectSuspended)
