import * as z from 'zod/mini'
import { ADMIN_TOKENS_MAX, TOKENS_BATCH } from './limits.ts'
import type { Memorial } from './memorials.ts'
import type { Payment, PaymentStatus } from './payments.ts'
import { line } from './text.ts'

/**
 * A numbered page, with a search text that is looked for in names and addresses. Among payments, the word "refund" also
 * finds those that somebody should refund (PAID, with a `refundReason`), and "failed" those that are FAILED.
 */
export const adminPageQuery = z.object({
  page: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100_000)), 1),
  search: z._default(line({ max: 200 }), ''),
})
/** Where a newest-first list goes on: the `nextCursor` of the page before. */
export const adminCursorQuery = z.object({ cursor: z.optional(z.string()) })

export const generateTokensInput = z.object({
  count: z._default(z.number().check(z.int(), z.minimum(1), z.maximum(ADMIN_TOKENS_MAX)), TOKENS_BATCH),
})

/** `total` are listed, page by page. `hasMore`: there may be others, which a longer search would find. */
type AdminPage = { page: number; pageSize: number; total: number; hasMore: boolean }

/** `suspendedAt` is null for an account that may sign in. */
export type AdminOwner = { id: string; email: string; suspendedAt: string | null }
export type AdminMemorial = Memorial & {
  owner: AdminOwner
  payment: { status: PaymentStatus } | null
}
export type AdminMemorialPage = AdminPage & { memorials: AdminMemorial[] }
export type AdminStats = { totalMemorials: number; activeMemorials: number; paidMemorials: number }
export type TokenPool = { availableCount: number; assignedCount: number; revokedCount: number }

export type AdminPayment = Payment & {
  payer: { email: string }
  /** What it has paid for (`memorialId`), else what it is meant for. */
  memorial: { id: string; honoureeFullName: string } | null
  paidAt: string | null
  /** Why it should go back, or is on its way (the memorial was paid for twice, an admin asked for it), else null. */
  refundReason: string | null
}
export type AdminPaymentPage = AdminPage & { payments: AdminPayment[] }

export const ACTIVITY_KINDS = [
  'account_verified',
  'memorial_created',
  'memorial_published',
  'payment_paid',
  'message_posted',
] as const
/** Something that happened on the site. `memorial` is null where none is concerned. */
export type Activity = {
  id: string
  kind: (typeof ACTIVITY_KINDS)[number]
  at: string
  memorial: { id: string; honoureeFullName: string } | null
}

/** Everything that the audit log can say was done. */
export const AUDIT_ACTIONS = [
  'see_memorial',
  'edit_memorial',
  'change_privacy',
  'edit_funeral',
  'edit_location',
  'make_qr_code',
  'edit_media',
  'delete_media',
  'delete_comment',
  'see_invite_link',
  'rotate_invite_link',
  'remove_memorial',
  'restore_memorial',
  'suspend_account',
  'reinstate_account',
  'refund_payment',
  'generate_tokens',
  'resend_mail',
  'resend_job',
  'grant_role',
  'revoke_role',
  'purge',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]
export const AUDIT_TARGETS = [
  'memorial',
  'user',
  'payment',
  'media',
  'comment',
  'mail',
  'token',
  'job',
] as const
export type AuditTarget = (typeof AUDIT_TARGETS)[number]

/** What an admin wrote: who, what, on what, when. `detail` holds small before/after values. */
export type AuditEntry = {
  id: string
  /** Null for the system itself, and for an account that is gone. */
  actorEmail: string | null
  action: AuditAction
  targetKind: AuditTarget
  targetId: string
  memorialId: string | null
  detail: Record<string, string | number | boolean | null> | null
  createdAt: string
}
export type AuditPage = { entries: AuditEntry[]; nextCursor: string | null }

export type ContactMessage = {
  id: string
  email: string
  subject: string
  message: string
  createdAt: string
}
export type ContactMessagePage = { messages: ContactMessage[]; nextCursor: string | null }

export const MAIL_STATUS = ['QUEUED', 'SENT', 'DEAD', 'CANCELLED'] as const
export type AdminMail = {
  id: string
  kind: string
  recipient: string
  status: (typeof MAIL_STATUS)[number]
  attempts: number
  /** What the mail service said the last time, else null. */
  lastError: string | null
  createdAt: string
}
/** Mails that were given up (`DEAD`) or that wait (`QUEUED`), newest first. */
export type AdminMailPage = { mails: AdminMail[]; nextCursor: string | null }

/** What cron does, task by task. */
export const TASKS = [
  'mails',
  'purges',
  'payments',
  'left_uploads',
  'deletions',
  'marks',
  'lost_events',
  'uploads',
  'parts',
  'objects',
  'accounts',
  'removals',
] as const
export type Task = (typeof TASKS)[number]
/** The last run of a task. `late`: it should have run again since. `requestId`: what the log tells of it. */
export type TaskState = {
  task: Task
  status: 'ok' | 'failed' | 'late' | 'never'
  lastRunAt: string | null
  tookMs: number
  requestId: string | null
}
/** How the work behind the site goes. */
export type Operations = {
  /** `waiting` is null where the queue did not say. */
  queues: { queue: 'jobs' | 'pictures'; waiting: number | null; oldestAt: string | null }[]
  tasks: TaskState[]
  /** Tags of pages that the edge has yet to forget; `urgent`: somebody may see there what they no longer may. */
  purges: { urgent: number; other: number }
  /** Of what people sent, without the sizes that are made of it; the memorials that hold the most, the largest first. */
  storage: {
    bytes: number
    largest: { memorial: { id: string; honoureeFullName: string }; bytes: number; files: number }[]
  }
  /** `failed`: of the last 7 days. */
  payments: { failed: number; disputed: number; toRefund: number }
  /** The last event of Stripe and how long it was on its way; null before the first. */
  webhook: { receivedAt: string; lagSec: number | null } | null
}

/** A job that failed at every try. */
export type AdminDeadJob = {
  id: string
  type: string
  /** Of the call or cron run that asked for it: the log tells of every try under this id. */
  requestId: string
  diedAt: string
}
export type AdminDeadJobPage = { jobs: AdminDeadJob[]; nextCursor: string | null }

export const SYSTEM_PARTS = [
  'database',
  'storage',
  'sessions',
  'counters',
  'pictures',
  'queue',
  'mail',
  'payments',
] as const
export type SystemCheck = {
  part: (typeof SYSTEM_PARTS)[number]
  /** `not_set_up`: its secret is missing, so that the feature is off. */
  status: 'ok' | 'failing' | 'not_set_up'
  /** A sentence for the reader: how long it took, how much waits, what failed. */
  detail: string
}

export const SWEEPS = ['uploads', 'parts', 'objects', 'deletions'] as const
/** The last run of a sweep. */
export type Sweep = {
  /**
   * `uploads`: those that got no piece for a day. `parts`: of uploads whose request died. `objects`: files that no entry knows.
   * `deletions`: files of entries that were removed.
   */
  job: (typeof SWEEPS)[number]
  /** `late`: it should have run again since. */
  status: 'ok' | 'late' | 'never'
  lastRunAt: string | null
  removed: number
  /** Could not be removed, and will be tried again. */
  failed: number
}
/** What uploads leave behind, and what is done about it. */
export type Leftovers = {
  sweeps: Sweep[]
  /** Uploads in pieces that have not ended; each holds room for its whole file. */
  uploads: number
  reservedBytes: number
  /** Of those, how many got no piece for a day and wait for the sweep. */
  expiredUploads: number
  /** Removals of files that wait. */
  deletions: number
  oldestDeletionAt: string | null
}
/** `leftovers` and `operations` are null when they could not be read. */
export type SystemState = {
  checks: SystemCheck[]
  leftovers: Leftovers | null
  operations: Operations | null
  checkedAt: string
}
