import * as z from 'zod/mini'
import type { Memorial } from './memorials.ts'
import type { PaymentStatus } from './payments.ts'
import { line } from './text.ts'

export const adminMemorialsQuery = z.object({
  page: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100_000)), 1),
  search: z._default(line({ max: 200 }), ''),
})

export type AdminMemorial = Memorial & {
  owner: { email: string }
  payment: { status: PaymentStatus } | null
}
export type AdminMemorialPage = { memorials: AdminMemorial[]; page: number; pageSize: number; total: number }
export type AdminStats = { totalMemorials: number; activeMemorials: number; paidMemorials: number }
export type TokenPool = { availableCount: number; assignedCount: number; revokedCount: number }
