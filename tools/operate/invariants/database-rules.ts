import { LATER_KINDS } from '#shared/funeral/gatherings.ts'
import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import {
  CONTRIBUTOR_QUOTA,
  DAY_MS,
  FUNERAL_EVENTS_MAX,
  HOUR_MS,
  LATER_GATHERINGS_MAX,
  LET_IN_KEPT_MS,
  LET_IN_WAITING_MAX,
  MEMORIAL_QUOTA,
  MINUTE_MS,
  OPEN_REGISTRATIONS_MAX,
  PASSKEYS_MAX,
  PRINTED_CODES,
  RECORDS_KEPT_MS,
  DELETED_RESTORABLE_MS,
  REMOVED_PER_CONTRIBUTOR_MAX,
  REPLY_PEOPLE_MAX,
  UNPAID_DRAFTS_MAX,
} from '#shared/limits.ts'

/** `of`: the rows that count as checked. `broken`: a query for the `id` of each row that breaks the rule. */
type DatabaseRule = { rule: string; of: string; broken: (now: number) => string }

const isPaid = (memorial: string) =>
  `EXISTS (SELECT 1 FROM payments paying WHERE paying.memorial_id = ${memorial})`
/** Cron retries every minute and every 15 minutes, so work that is still pending after an hour is stuck. */
const OVERDUE_MS = HOUR_MS

/** Every media item of which the original is stored. */
const STORED = `SELECT memorial_id, size AS bytes FROM media
  UNION ALL SELECT memorial_id, bytes FROM removed_items WHERE object_key IS NOT NULL`

/**
 * Payments that waited while their payer paid for a draft, which we now prevent. Not those that the payer can still use for
 * another draft, nor what others have paid or given.
 */
const PAID_TWICE = `SELECT waiting.id FROM payments waiting
  WHERE waiting.status = 'PAID' AND waiting.memorial_id IS NULL AND waiting.refund_reason IS NULL
    AND waiting.link_token IS NULL
    AND EXISTS (SELECT 1 FROM payments later WHERE later.user_id = waiting.user_id AND later.status = 'PAID'
      AND later.memorial_id = later.target_memorial_id AND later.paid_at > waiting.paid_at)
    AND NOT EXISTS (SELECT 1 FROM memorials WHERE memorials.owner_id = waiting.user_id AND memorials.status = 'DRAFT')`

/** Puts those payments on the refund list of the admin console. Returns their ids. */
export const FLAG_PAID_TWICE = `UPDATE payments SET refund_reason = 'memorial_already_paid'
  WHERE id IN (${PAID_TWICE}) RETURNING id`

/** Rules between the rows of the database that hold at all times. */
export const DATABASE_RULES: DatabaseRule[] = [
  {
    rule: 'A payment has paid for a memorial of its payer, or that they handed over, or for no memorial',
    of: 'payments WHERE memorial_id IS NOT NULL',
    broken: () => `SELECT payments.id FROM payments JOIN memorials ON memorials.id = payments.memorial_id
      WHERE payments.status NOT IN ('PAID', 'REFUNDED', 'DISPUTED') OR (memorials.owner_id <> payments.user_id
        AND NOT EXISTS (SELECT 1 FROM handovers WHERE memorial_id = memorials.id AND from_user_id = payments.user_id
          AND accepted_at IS NOT NULL))`,
  },
  {
    rule: 'Paid money is in its memorial, is a credit that its payer can use, or is flagged for a refund',
    of: "payments WHERE status = 'PAID'",
    broken:
      () => `SELECT payments.id FROM payments JOIN memorials ON memorials.id = payments.target_memorial_id
      WHERE payments.status = 'PAID' AND payments.memorial_id IS NULL AND payments.refund_reason IS NULL
        AND memorials.owner_id = payments.user_id AND memorials.status IN ('DRAFT', 'ACTIVE')
        AND NOT ${isPaid('memorials.id')}`,
  },
  {
    rule: 'Nobody paid for a draft while a payment of theirs waited (--flag-refunds puts it on the refund list)',
    of: "payments WHERE status = 'PAID' AND memorial_id IS NULL",
    broken: () => PAID_TWICE,
  },
  {
    rule: 'A memorial has at most one payment',
    of: 'memorials',
    broken: () => `SELECT memorial_id AS id FROM payments WHERE memorial_id IS NOT NULL
      GROUP BY memorial_id HAVING count(*) > 1`,
  },
  {
    rule: 'An order gives at most one credit: its other payments are on the refund list or given back',
    of: 'orders',
    broken:
      () => `SELECT order_id AS id FROM payments WHERE order_id IS NOT NULL AND status IN ('PAID', 'DISPUTED')
      AND (memorial_id IS NOT NULL OR refund_reason IS NULL OR refund_reason = 'refund_failed')
      GROUP BY order_id HAVING count(*) > 1`,
  },
  {
    rule: 'A payment has the account, memorial, amount and currency of its order',
    of: 'payments WHERE order_id IS NOT NULL',
    broken: () => `SELECT payments.id FROM payments JOIN orders ON orders.id = payments.order_id
      WHERE payments.user_id <> orders.user_id OR payments.target_memorial_id IS NOT orders.target_memorial_id
        OR payments.amount <> orders.amount OR payments.currency <> orders.currency`,
  },
  {
    rule: 'An order is settled once one of its payments became PAID',
    of: 'orders',
    broken: () => `SELECT orders.id FROM orders WHERE settled_at IS NULL
      AND EXISTS (SELECT 1 FROM payments WHERE payments.order_id = orders.id AND payments.status = 'PAID')`,
  },
  {
    rule: 'The payments of a gift belong to whoever redeemed it, before that to nobody',
    of: 'gifts',
    broken: () => `SELECT gifts.id FROM gifts JOIN payments ON payments.order_id = gifts.order_id
      WHERE payments.user_id <> coalesce(gifts.redeemed_by, '${GIFT_ACCOUNT}')
        OR (gifts.redeemed_by IS NULL) <> (gifts.redeemed_at IS NULL)
        OR (gifts.redeemed_at IS NULL AND payments.memorial_id IS NOT NULL)`,
  },
  {
    rule: 'The last line of the ledger of a payment is its status',
    of: "payments WHERE status <> 'PENDING' AND order_id IS NOT NULL",
    broken:
      () => `SELECT payments.id FROM payments WHERE payments.status <> 'PENDING' AND order_id IS NOT NULL
      AND payments.status IS NOT (SELECT status FROM payment_history
        WHERE payment_id = payments.id ORDER BY at DESC, rowid DESC LIMIT 1)`,
  },
  {
    rule: 'The time of payment is set exactly on payments that became PAID',
    of: 'payments',
    broken: () => `SELECT id FROM payments WHERE (status = 'PAID' AND paid_at IS NULL)
      OR (status IN ('PENDING', 'FAILED') AND paid_at IS NOT NULL)`,
  },
  {
    rule: 'A memorial is ACTIVE exactly while it is paid for',
    of: "memorials WHERE status IN ('DRAFT', 'ACTIVE')",
    broken: () => `SELECT id FROM memorials WHERE (status = 'ACTIVE' AND NOT ${isPaid('memorials.id')})
      OR (status = 'DRAFT' AND ${isPaid('memorials.id')})`,
  },
  {
    rule: 'Only a memorial that is paid for is shared',
    of: "memorials WHERE privacy <> 'PRIVATE'",
    broken: () => `SELECT id FROM memorials WHERE privacy <> 'PRIVATE' AND NOT ${isPaid('memorials.id')}`,
  },
  {
    rule: 'lockedAt is set exactly while LOCKED',
    of: 'memorials',
    broken: () => `SELECT id FROM memorials WHERE (privacy = 'LOCKED') <> (locked_at IS NOT NULL)`,
  },
  {
    rule: 'deletedAt is set exactly while DELETED',
    of: 'memorials',
    broken: () => `SELECT id FROM memorials WHERE (status = 'DELETED') <> (deleted_at IS NOT NULL)`,
  },
  {
    rule: 'A slug belongs to one memorial, and is not retired',
    of: 'memorials',
    broken: () => `SELECT slug AS id FROM memorials GROUP BY slug HAVING count(*) > 1
      UNION SELECT slug FROM memorials WHERE slug IN (SELECT slug FROM retired_slugs)`,
  },
  {
    rule: `Nobody has more than ${UNPAID_DRAFTS_MAX} unpaid drafts`,
    of: "(SELECT DISTINCT owner_id FROM memorials WHERE status = 'DRAFT')",
    broken: () => `SELECT owner_id AS id FROM memorials WHERE status = 'DRAFT' GROUP BY owner_id
      HAVING count(*) > ${UNPAID_DRAFTS_MAX}`,
  },
  {
    rule: `Nobody has more than ${PASSKEYS_MAX} passkeys, and only confirmed accounts have any`,
    of: '(SELECT DISTINCT user_id FROM passkeys)',
    broken: () => `SELECT user_id AS id FROM passkeys GROUP BY user_id HAVING count(*) > ${PASSKEYS_MAX}
      UNION SELECT user_id FROM passkeys JOIN users ON users.id = user_id WHERE email_verified_at IS NULL`,
  },
  {
    rule: `An account has ${PRINTED_CODES} printed codes that were made together, or none`,
    of: '(SELECT DISTINCT user_id FROM printed_codes)',
    broken: () => `SELECT user_id AS id FROM printed_codes GROUP BY user_id
      HAVING count(*) <> ${PRINTED_CODES} OR min(created_at) <> max(created_at)`,
  },
  {
    rule: 'Cover and portrait are photos of their own memorial',
    of: 'memorials WHERE cover_media_id IS NOT NULL OR profile_media_id IS NOT NULL',
    broken: () => `SELECT memorials.id || ' -> ' || used.media_id AS id FROM memorials JOIN (
        SELECT id, cover_media_id AS media_id FROM memorials UNION SELECT id, profile_media_id FROM memorials
      ) used ON used.id = memorials.id
      WHERE used.media_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM media
        WHERE media.id = used.media_id AND media.memorial_id = memorials.id AND media.type = 'IMAGE')`,
  },
  {
    rule: 'An invitation is AVAILABLE and has no memorial, or it is the only live one of its memorial without a name',
    of: 'invite_tokens',
    broken:
      () => `SELECT token AS id FROM invite_tokens WHERE (status = 'AVAILABLE' AND memorial_id IS NOT NULL)
        OR (status = 'ASSIGNED' AND (memorial_id IS NULL OR assigned_at IS NULL OR revoked_at IS NOT NULL))
        OR (status = 'REVOKED' AND revoked_at IS NULL)
        OR (status = 'VISITORS' AND token IS NOT 'visitors-' || memorial_id)
      UNION SELECT 'links of ' || memorial_id FROM invite_tokens WHERE status = 'ASSIGNED' AND name IS NULL
        GROUP BY memorial_id HAVING count(*) > 1`,
  },
  {
    rule: 'A contributor used an invitation to their own memorial',
    of: 'contributors',
    broken: () => `SELECT contributors.id FROM contributors
      LEFT JOIN invite_tokens ON invite_tokens.token = contributors.invite_token
      WHERE invite_tokens.memorial_id IS NOT contributors.memorial_id OR invite_tokens.status = 'AVAILABLE'`,
  },
  {
    rule: 'Who looks after a memorial adds there under their own name, and doesn’t own it',
    of: 'keepers',
    broken: () => `SELECT keepers.contributor_id AS id FROM keepers
      JOIN memorials ON memorials.id = keepers.memorial_id
      LEFT JOIN contributors ON contributors.id = keepers.contributor_id
      WHERE contributors.memorial_id IS NOT keepers.memorial_id OR memorials.owner_id = keepers.user_id`,
  },
  {
    rule: 'An offer to hand a memorial over is to a keeper of it, and who can take one back is a keeper of it',
    of: 'handovers',
    broken: (now) => `SELECT handovers.id FROM handovers JOIN memorials ON memorials.id = memorial_id
      WHERE (accepted_at IS NULL AND from_user_id = owner_id AND NOT EXISTS (SELECT 1 FROM keepers
          WHERE keepers.memorial_id = memorials.id AND user_id = to_user_id AND role = 'KEEPER'))
        OR (handovers.take_back_until IS NOT NULL AND taken_back_at IS NOT NULL)
        OR (handovers.take_back_until > ${now} AND NOT EXISTS (SELECT 1 FROM keepers
          WHERE keepers.memorial_id = memorials.id AND user_id = from_user_id))
      UNION SELECT id FROM memorials WHERE take_back_until IS NOT NULL AND NOT EXISTS (SELECT 1 FROM handovers
        WHERE memorial_id = memorials.id AND to_user_id = owner_id AND handovers.take_back_until = memorials.take_back_until)`,
  },
  {
    rule: `Exactly who was let in is a contributor of that memorial, and at most ${LET_IN_WAITING_MAX} others wait there, not for long`,
    of: 'let_in_requests',
    broken: (now) => `SELECT asking.id FROM let_in_requests asking
        LEFT JOIN contributors ON contributors.id = asking.contributor_id
        WHERE (coalesce(decision, '') = 'LET_IN') <> (contributors.id IS NOT NULL)
          OR contributors.memorial_id <> asking.memorial_id
          OR (decision IS NULL AND asking.created_at < ${now - LET_IN_KEPT_MS - DAY_MS})
      UNION SELECT memorial_id FROM let_in_requests WHERE decision IS NULL
        GROUP BY memorial_id HAVING count(*) > ${LET_IN_WAITING_MAX}`,
  },
  {
    rule: 'Successors are asked for in steps, and a memorial with one has a succession',
    of: 'successions',
    broken: () => `SELECT memorial_id AS id FROM successions
        WHERE (mails_sent > 0) <> (asking_since IS NOT NULL) OR (next_at IS NULL) <> (open_since IS NOT NULL)
          OR (open_since IS NOT NULL AND mails_sent < 3) OR (held_since IS NOT NULL AND asking_since IS NULL)
          OR NOT EXISTS (SELECT 1 FROM successors WHERE successors.memorial_id = successions.memorial_id)
      UNION SELECT id FROM successors
        WHERE NOT EXISTS (SELECT 1 FROM successions WHERE successions.memorial_id = successors.memorial_id)`,
  },
  {
    rule: 'Contributions are in the memorial that their contributor was invited to, and none is from a guest',
    of: 'contributors',
    broken: () => `SELECT added.id FROM (
        SELECT id, memorial_id, contributor_id FROM media
        UNION ALL SELECT id, memorial_id, author_contributor_id FROM comments
        UNION ALL SELECT id, memorial_id, contributor_id FROM removed_items
      ) added JOIN contributors ON contributors.id = added.contributor_id
      WHERE contributors.memorial_id <> added.memorial_id OR contributors.is_guest`,
  },
  {
    rule: 'A comment has one author, and its like count is correct',
    of: 'comments',
    broken: () => `SELECT id FROM comments
      WHERE (author_user_id IS NULL) = (author_contributor_id IS NULL) OR like_count <> (
        SELECT count(*) FROM comment_likes WHERE comment_likes.comment_id = comments.id)`,
  },
  {
    rule: `A memorial has at most ${FUNERAL_EVENTS_MAX} services and ${LATER_GATHERINGS_MAX} later gatherings, and a programme is complete or absent`,
    of: 'funeral_events',
    broken:
      () => `SELECT memorial_id AS id FROM funeral_events GROUP BY memorial_id, position > ${FUNERAL_EVENTS_MAX}
        HAVING count(*) > CASE WHEN position > ${FUNERAL_EVENTS_MAX} THEN ${LATER_GATHERINGS_MAX} ELSE ${FUNERAL_EVENTS_MAX} END
      UNION SELECT id FROM funeral_events
        WHERE (position > ${FUNERAL_EVENTS_MAX}) <> (kind IN (${LATER_KINDS.map((kind) => `'${kind}'`).join(', ')}))
      UNION SELECT id FROM funeral_events WHERE (programme_key IS NULL) <> (programme_name IS NULL)
        OR (programme_key IS NULL) <> (programme_size IS NULL)`,
  },
  {
    rule: 'A gathering counts exactly the people who say that they come',
    of: 'funeral_events',
    broken: () => `SELECT id FROM funeral_events WHERE people_coming <>
        (SELECT coalesce(sum(people), 0) FROM replies WHERE event_id = funeral_events.id AND answer = 'COMING')`,
  },
  {
    rule: `A reply names 1 to ${REPLY_PEOPLE_MAX} people`,
    of: 'replies',
    broken: () => `SELECT id FROM replies WHERE people NOT BETWEEN 1 AND ${REPLY_PEOPLE_MAX}`,
  },
  {
    rule: 'No contributor and no memorial has more media than allowed',
    of: 'media',
    // Those who look after a memorial have no quota of their own.
    broken:
      () => `SELECT contributor_id || ' ' || type AS id FROM media JOIN contributors ON contributors.id = contributor_id
        WHERE invite_token <> 'keepers-' || media.memorial_id
        GROUP BY contributor_id, type HAVING count(*) > CASE type WHEN 'IMAGE' THEN ${CONTRIBUTOR_QUOTA.images.max}
          WHEN 'VIDEO' THEN ${CONTRIBUTOR_QUOTA.video.max} ELSE ${CONTRIBUTOR_QUOTA.audio.max} END
      UNION SELECT memorial_id || ' ' || type FROM media GROUP BY memorial_id, type HAVING count(*) > CASE type
          WHEN 'IMAGE' THEN ${MEMORIAL_QUOTA.images} WHEN 'VIDEO' THEN ${MEMORIAL_QUOTA.video}
          ELSE ${MEMORIAL_QUOTA.audio} END
      UNION SELECT memorial_id || ' bytes' FROM (${STORED}) GROUP BY memorial_id
        HAVING sum(bytes) > ${MEMORIAL_QUOTA.bytes}`,
  },
  {
    rule: 'What was removed is nowhere else, is deleted for good in time, and is not too much of one contributor',
    of: 'removed_items',
    broken: (now) => `SELECT id FROM removed_items
        WHERE id IN (SELECT id FROM media UNION ALL SELECT id FROM comments)
          OR (removed_at < ${now - DELETED_RESTORABLE_MS - 2 * DAY_MS}
            AND memorial_id NOT IN (SELECT id FROM memorials WHERE take_back_until > ${now - 2 * DAY_MS}))
      UNION SELECT contributor_id FROM removed_items WHERE removed_by = contributor_id
        GROUP BY contributor_id HAVING count(*) > ${REMOVED_PER_CONTRIBUTOR_MAX}`,
  },
  {
    // Sent mails are deleted after half a year: an older one may be gone.
    rule: 'A payment that became PAID has exactly one receipt',
    of: 'payments WHERE paid_at IS NOT NULL',
    broken: (now) => `SELECT id FROM (SELECT payments.id, payments.paid_at AS at, (
        SELECT count(*) FROM mails WHERE mails.subject_id = payments.id AND mails.kind = 'receipt') AS sent
      FROM payments JOIN users ON users.id = payments.user_id
      WHERE payments.paid_at IS NOT NULL AND users.purged_at IS NULL
        AND (payments.link_token IS NULL OR payments.payer_email IS NOT NULL))
      WHERE sent > 1 OR (sent = 0 AND at > ${now - RECORDS_KEPT_MS + DAY_MS})`,
  },
  {
    rule: 'Every event that sends a mail has its mail',
    of: 'mails',
    broken: (now) => `SELECT id FROM (SELECT id, created_at, (
        SELECT count(*) FROM mails WHERE subject_id = contact_messages.id AND kind = 'contact') AS sent FROM contact_messages)
        WHERE sent > 1 OR (sent = 0 AND created_at > ${now - RECORDS_KEPT_MS + DAY_MS})
      UNION SELECT id FROM memorials WHERE status = 'DELETED' AND NOT EXISTS (SELECT 1 FROM mails
        WHERE subject_id = memorials.id AND kind IN ('memorial-deleted', 'draft-removed') AND mails.created_at >= memorials.deleted_at - ${MINUTE_MS})
        AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = owner_id AND users.deleted_at = memorials.deleted_at)
      UNION SELECT id FROM users WHERE deleted_at IS NOT NULL AND purged_at IS NULL AND NOT EXISTS (SELECT 1 FROM mails
        WHERE subject_id = users.id AND kind = 'account-deleted' AND mails.created_at >= users.deleted_at - ${MINUTE_MS})
      UNION SELECT id FROM users WHERE email_verified_at IS NULL AND deleted_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM mails WHERE subject_id = users.id AND kind = 'verify')`,
  },
  {
    rule: 'No mail is stuck: each queued mail is new, or between two attempts',
    of: "mails WHERE status = 'QUEUED'",
    // The limit grows with the attempts, because the queue and cron wait longer before each retry.
    // Those of low priority are sent behind all others, 10,000 of them within hours.
    broken: (now) => `SELECT id FROM mails WHERE status = 'QUEUED' AND coalesce(claimed_until, created_at)
      < ${now - 15 * MINUTE_MS} - iif(priority = 'LATER', ${DAY_MS}, 0) - 10000 * (1 << min(attempts, 9))`,
  },
  {
    rule: 'Cron looks at a follower who has confirmed, and at no other, within two days; an invitation is of the same memorial',
    of: 'followers',
    broken: (
      now,
    ) => `SELECT id FROM followers WHERE (confirmed_at IS NULL) <> (look_at IS NULL) OR look_at < ${now - 2 * DAY_MS}
      UNION SELECT id FROM followers JOIN invite_tokens ON token = invite_token WHERE invite_tokens.memorial_id IS NOT followers.memorial_id`,
  },
  {
    rule: 'An address has at most 5 open registrations, and a confirmed one has none',
    of: 'registrations WHERE used_at IS NULL',
    broken: () => `SELECT user_id AS id FROM registrations WHERE used_at IS NULL
        GROUP BY user_id HAVING count(*) > ${OPEN_REGISTRATIONS_MAX}
      UNION SELECT user_id FROM registrations JOIN users ON users.id = user_id
        WHERE used_at IS NULL AND email_verified_at IS NOT NULL`,
  },
  {
    rule: 'The sweep deletes expired uploads in time, and a complete upload soon becomes a media item or is refused',
    of: 'resumable_uploads',
    broken: (now) => `SELECT id FROM resumable_uploads WHERE expires_at < ${now - 3 * OVERDUE_MS}
      UNION SELECT id FROM resumable_uploads WHERE arrived_at < ${now - OVERDUE_MS} AND ended_at IS NULL`,
  },
  {
    rule: 'The media item of a committed upload exists in the same memorial, or was deleted later',
    of: 'resumable_uploads WHERE ended_at IS NOT NULL',
    broken: () => `SELECT resumable_uploads.id FROM resumable_uploads JOIN media ON media.id = media_id
      WHERE refusal_code IS NOT NULL OR media.memorial_id <> resumable_uploads.memorial_id`,
  },
  {
    rule: 'The stored totals of a memorial match its media, removed ones included',
    of: 'memorial_storage',
    broken: () => `SELECT memorial_id AS id FROM (
        SELECT memorial_id, sum(bytes) AS bytes, count(*) AS files FROM (${STORED}) GROUP BY memorial_id
        EXCEPT SELECT memorial_id, bytes, files FROM memorial_storage)
      UNION SELECT memorial_id FROM memorial_storage
        WHERE memorial_id NOT IN (SELECT memorial_id FROM (${STORED}))`,
  },
  {
    rule: 'Pending object deletions and cache purges finish within an hour',
    of: '(SELECT prefix FROM object_deletions UNION ALL SELECT tag FROM cache_purges)',
    broken: (now) => `SELECT prefix AS id FROM object_deletions WHERE created_at < ${now - OVERDUE_MS}
      UNION SELECT tag FROM cache_purges WHERE asked_at < ${now - OVERDUE_MS}`,
  },
]
