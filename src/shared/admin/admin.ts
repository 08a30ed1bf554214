import * as z from 'zod/mini'
import { CHANGES_OF_MEMORIAL, type ChangeOfMemorial } from './family-actions.ts'
import {
  ADMIN_TOKENS_MAX,
  REFUND_NOTE_MAX,
  REMOVAL_NOTE_MAX,
  TOKENS_BATCH,
  WORD_RULE_MAX,
} from '../limits.ts'
import type { LocalMethod } from '../payments/local-payments.ts'
import type { Memorial } from '../memorials/memorials.ts'
import type { Payment, PaymentStatus } from '../payments/payments.ts'
import { line, lines } from '../text.ts'

/**
 * A numbered page. `search` matches names and addresses. For payments, the word "refund" also finds those that an
 * admin should refund (with a `refundReason`, and not refunded yet), and "failed" those that are FAILED.
 */
export const adminPageQuery = z.object({
  page: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(100_000)), 1),
  search: z._default(line({ max: 200 }), ''),
})
/** Cursor of a newest-first list: the `nextCursor` of the previous page. */
export const adminCursorQuery = z.object({ cursor: z.optional(z.string()) })

/** `state` keeps only the messages that wait for an answer, or those that have one. */
export const contactMessagesQuery = z.object({
  cursor: z.optional(z.string()),
  state: z.optional(z.enum(['waiting', 'answered'])),
})

/** `reason` is written to the payer, who reads it in a mail; without it the mail gives none. */
export const refundInput = z.object({ reason: z._default(lines({ max: REFUND_NOTE_MAX }), '') })

/** `reason` is written to the memorial's owner, in a mail and on the dashboard; without it they are told none. */
export const removeMemorialInput = z.object({ reason: z._default(lines({ max: REMOVAL_NOTE_MAX }), '') })

export const generateTokensInput = z.object({
  count: z._default(z.number().check(z.int(), z.minimum(1), z.maximum(ADMIN_TOKENS_MAX)), TOKENS_BATCH),
})

/** HOLD: holds messages with it. ALLOW: is never looked at. A star in `word` stands for any further letters. */
export const saveWordInput = z.object({
  word: line({ max: WORD_RULE_MAX }),
  kind: z.enum(['HOLD', 'ALLOW']),
})
export type WordRule = { word: string; kind: 'HOLD' | 'ALLOW' }

/** `total` entries are listed, page by page. If `hasMore`, a longer search text may find others. */
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

/**
 * What waits for an admin, and the last {@link OVERVIEW_DAYS} days. Each chart has one count per UTC day, oldest first; the
 * last is today's, up to now.
 */
export type AdminOverview = {
  waiting: { messages: number; refunds: number; failedJobs: number; failedMails: number }
  /** `YYYY-MM-DD`, the day of the first count. */
  firstDay: string
  /** `contributions` are messages, photos, videos and recordings, by anyone. */
  daily: { memorials: number[]; payments: number[]; contributions: number[] }
}

export type AdminPayment = Payment & {
  /** `name`: what somebody typed who paid with a link. */
  payer: { email: string; name: string | null }
  /** The account that it is for, if somebody else paid; null also for a gift that nobody has redeemed. */
  paidFor: { email: string } | null
  isGift: boolean
  /** The memorial that it paid for (`memorialId`), else the one it is meant for. */
  memorial: { id: string; honoureeFullName: string } | null
  paidAt: string | null
  /** Why it should be or is being refunded (the memorial was paid for twice, another amount came, an admin requested it), else null. */
  refundReason: string | null
  /** What the payer was told about the refund, else null. */
  refundNote: string | null
  /** The provider's own number of the payment; null until it has given one. */
  providerReference: string | null
  /** By Paynow: the method, and the phone number that pays, for who gives money back; else null. */
  method: LocalMethod | null
  phone: string | null
  /** How many payments were begun for the same order, this one included. */
  attempts: number
}
export type AdminPaymentPage = AdminPage & { payments: AdminPayment[] }

export const ACTIVITY_KINDS = [
  'account_verified',
  'memorial_created',
  'memorial_published',
  'payment_paid',
  'message_posted',
] as const
/** An event on the site. `memorial` is null if it concerns none. */
export type Activity = {
  id: string
  kind: (typeof ACTIVITY_KINDS)[number]
  at: string
  memorial: { id: string; honoureeFullName: string } | null
}

const ADMIN_ONLY = [
  'see_memorial',
  'make_qr_code',
  'see_invite_link',
  'remove_memorial',
  'suspend_account',
  'reinstate_account',
  'refund_payment',
  'answer_message',
  'generate_tokens',
  'add_word',
  'remove_word',
  'resend_mail',
  'resend_job',
  'grant_role',
  'reset_second_factor',
  'revoke_role',
  'purge',
] as const
/** All actions that the audit log records. */
export const AUDIT_ACTIONS = [...CHANGES_OF_MEMORIAL, ...ADMIN_ONLY] as const
export type AuditAction = ChangeOfMemorial | (typeof ADMIN_ONLY)[number]
export const AUDIT_TARGETS = [
  'memorial',
  'user',
  'payment',
  'media',
  'comment',
  'mail',
  'message',
  'token',
  'job',
  'word',
] as const
export type AuditTarget = (typeof AUDIT_TARGETS)[number]

/** An audit entry: who did what to what, and when. `detail` holds small before/after values. */
export type AuditEntry = {
  id: string
  /** Null for the system itself and for deleted accounts. */
  actorEmail: string | null
  action: AuditAction
  targetKind: AuditTarget
  targetId: string
  /** Address of the account that `targetId` names; null for other targets, and once it is purged. */
  targetEmail: string | null
  memorialId: string | null
  /** Name of the honouree of `memorialId`; null once it is purged. */
  memorialName: string | null
  detail: Record<string, string | number | boolean | null> | null
  createdAt: string
}
export type AuditPage = { entries: AuditEntry[]; nextCursor: string | null }

export type ContactMessage = {
  id: string
  email: string
  subject: string
  message: string
  isAnswered: boolean
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
  /** The last error of the mail provider, else null. */
  lastError: string | null
  createdAt: string
}
/** Mails that failed permanently (`DEAD`) or are queued (`QUEUED`), newest first. */
export type AdminMailPage = { mails: AdminMail[]; nextCursor: string | null }

/** The tasks that cron runs. */
export const TASKS = [
  'mails',
  'purges',
  'waiting',
  'local_payments',
  'followers',
  'later_mails',
  'gatherings',
  'payments',
  'left_uploads',
  'deletions',
  'marks',
  'lost_events',
  'uploads',
  'parts',
  'objects',
  'drafts',
  'successions',
  'accounts',
  'removals',
  'records',
] as const
export type Task = (typeof TASKS)[number]
/** The last run of a task. `late`: the next run is overdue. `requestId`: find its log lines by this id. */
export type TaskState = {
  task: Task
  status: 'ok' | 'failed' | 'late' | 'never'
  lastRunAt: string | null
  tookMs: number
  requestId: string | null
}
/** State of the background work. */
export type Operations = {
  /** `waiting` is null if the queue did not answer. */
  queues: { queue: 'jobs' | 'pictures'; waiting: number | null; oldestAt: string | null }[]
  tasks: TaskState[]
  /** Cache tags still to purge. `urgent`: somebody may still see a page that they no longer may. */
  purges: { urgent: number; other: number }
  /** Originals only, without variants. `largest` lists the memorials that hold the most, largest first. */
  storage: {
    bytes: number
    largest: { memorial: { id: string; honoureeFullName: string }; bytes: number; files: number }[]
  }
  /** `failed` counts the last 7 days. */
  payments: { failed: number; disputed: number; toRefund: number }
  /** The last Stripe event and its delay; null before the first. */
  webhook: { receivedAt: string; lagSec: number | null } | null
}

/** A job whose every attempt failed. */
export type AdminDeadJob = {
  id: string
  type: string
  /** Id of the call or cron run that queued the job. The log lines of every attempt carry it. */
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
  'localPayments',
] as const
export type SystemCheck = {
  part: (typeof SYSTEM_PARTS)[number]
  /** `not_set_up`: the secret is missing, so the feature is off. */
  status: 'ok' | 'failing' | 'not_set_up'
  /** A sentence for the reader: how long the check took, how much is queued, or what failed. */
  detail: string
}

export const SWEEPS = ['uploads', 'parts', 'objects', 'deletions'] as const
/** The last run of a sweep. */
export type Sweep = {
  /**
   * `uploads`: no chunk for a day. `parts`: left by uploads whose request died. `objects`: files without a database
   * row. `deletions`: files of deleted rows.
   */
  job: (typeof SWEEPS)[number]
  /** `late`: the next run is overdue. */
  status: 'ok' | 'late' | 'never'
  lastRunAt: string | null
  removed: number
  /** Could not be deleted; the next run retries. */
  failed: number
}
/** What abandoned uploads leave behind, and the sweeps that clean it up. */
export type Leftovers = {
  sweeps: Sweep[]
  /** Unfinished resumable uploads. Each reserves quota for its whole file. */
  uploads: number
  reservedBytes: number
  /** Of those, the ones without a chunk for a day, which the sweep will discard. */
  expiredUploads: number
  /** Pending file deletions. */
  deletions: number
  oldestDeletionAt: string | null
}
/** `leftovers` and `operations` are null if they could not be read. */
export type SystemState = {
  checks: SystemCheck[]
  leftovers: Leftovers | null
  operations: Operations | null
  checkedAt: string
}
