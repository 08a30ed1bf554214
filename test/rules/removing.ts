import type { Rule } from './rule.ts'

const PURGE = 'src/worker/features/removal/purge-memorial.ts'
const PURGE_TEST = 'src/worker/features/removal/purge-memorial.test.ts'
const BROKEN_OFF = 'src/worker/features/removal/purge-broken-off.test.ts'
const ACCOUNT = 'src/worker/features/removal/delete-account.ts'
const ACCOUNT_TEST = 'src/worker/features/removal/delete-account.test.ts'
const EXPORT = 'src/worker/features/accounts/export-account.ts'
const EXPORT_TEST = 'src/worker/features/accounts/export-account.test.ts'
const TAKE_OUT = 'src/worker/features/export'
const EDGE = 'src/worker/platform/edge-cache.ts'
const EDGE_TEST = 'src/worker/features/memorials/public-cache.test.ts'
const NOTHING_LEFT = `${PURGE_TEST} › R1 M17: thirty days after its deletion nothing is left of a memorial, in no table and in no store`

export const rules: Rule[] = [
  {
    id: 'M17',
    threat: 'What a family has deleted is still given out, or still lies somewhere',
    rule: 'A deleted memorial is not found by anybody at once, and after 30 days it is in no table and no store',
    proofs: [
      {
        test: 'src/worker/features/memorials/delete-memorial.test.ts › a deleted memorial is hidden at once from everyone, and comes back as it was',
        takenOut: [
          {
            file: 'src/worker/features/memorials/access.ts',
            from: '  if (isGone) return NOT_FOUND\n',
            to: '',
          },
        ],
      },
      {
        test: NOTHING_LEFT,
        takenOut: [
          { file: PURGE, from: '  await deletePrefix(ctx.env.MEDIA, `m/${id}`)\n', to: '' },
          { file: PURGE, from: '${`m/${id}`}', to: '${`x/${id}`}' },
        ],
      },
    ],
  },
  {
    id: 'A19',
    threat: 'Somebody whose password or phone is in the wrong hands cannot shut others out, or cannot leave',
    rule: 'People change their password, sign out everywhere and delete their account themselves; each ends every session',
    deviation:
      'No list of single sessions: signing out everywhere serves the one who lost a phone. Admins get a second factor by Cloudflare Access.',
    proofs: [
      {
        test: 'src/worker/features/accounts/reset-password.test.ts › changing the password keeps this device, ends the others and voids open reset links',
        takenOut: [
          {
            file: 'src/worker/features/accounts/account.ts',
            from: '.set({ passwordHash, sessionEpoch: sql`${users.sessionEpoch} + 1`, updatedAt: ctx.now() })',
            to: '.set({ passwordHash, updatedAt: ctx.now() })',
          },
        ],
      },
      {
        test: 'src/worker/features/accounts/account.test.ts › sign-out-everywhere ends every session, this one too',
        takenOut: [
          {
            file: 'src/worker/features/accounts/account.ts',
            from: '.set({ sessionEpoch: sql`${users.sessionEpoch} + 1` })',
            to: '.set({ updatedAt: ctx.now() })',
          },
        ],
      },
    ],
  },
  {
    id: 'A20',
    threat: 'Somebody who was suspended, or has deleted the account, goes on with a session',
    rule: 'The user row decides at every call: suspended, deleted or of an older epoch is nobody',
    proofs: [
      {
        test: 'src/worker/features/admin/suspend-account.test.ts › suspending ends every session at once, and the memorials stay for everybody to see',
        takenOut: [
          {
            file: 'src/worker/features/accounts/sessions.ts',
            from: '        isNull(users.suspendedAt),\n',
            to: '',
          },
          {
            file: 'src/worker/features/admin/suspend-account.ts',
            from: '        sessionEpoch: sql`${users.sessionEpoch} + 1`,\n',
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNT_TEST} › R2: a deleted account is hidden at once with all its memorials, signed out everywhere, and told by mail`,
        takenOut: [
          {
            file: 'src/worker/features/accounts/sessions.ts',
            from: '        isNull(users.deletedAt),\n',
            to: '',
          },
          { file: ACCOUNT, from: ' sessionEpoch: sql`${users.sessionEpoch} + 1`,', to: '' },
        ],
      },
    ],
  },
  {
    id: 'F13',
    threat: 'A purge is killed in the middle, or runs twice at once',
    rule: 'What lies outside the database goes first, then all rows in one batch; whoever comes second finds nothing to do',
    proofs: [
      {
        test: `${BROKEN_OFF} › F13: a purge that is broken off before any one of its calls ends the same when it runs again`,
        takenOut: [
          { file: PURGE, from: '  await removeRows(ctx, id)\n', to: '' },
          {
            file: PURGE,
            from: '  await deletePrefix(ctx.env.MEDIA, `m/${id}`)\n',
            to: '  await removeRows(ctx, id)\n  await deletePrefix(ctx.env.MEDIA, `m/${id}`)\n',
          },
        ],
      },
      {
        test: `${PURGE_TEST} › F13: five purges at once leave nothing behind, and one line each`,
        takenOut: [
          {
            file: PURGE,
            from: 'exists(db.select({ id: memorials.id }).from(memorials).where(isIt))',
            to: 'sql`true`',
          },
        ],
      },
    ],
  },
  {
    id: 'R1',
    threat:
      'Something of a purged memorial stays: a relative’s session, a count, a name in a mail; or what should stay goes',
    rule: 'Tokens in KV, the quota object, mails and idempotency keys go with it; slug, payment and one audit line stay',
    proofs: [
      {
        test: NOTHING_LEFT,
        takenOut: [{ file: PURGE, from: '  await endContributorSessions(ctx, id)\n', to: '' }],
      },
      { test: NOTHING_LEFT, takenOut: [{ file: PURGE, from: '  await forgetQuota(ctx, id)\n', to: '' }] },
      {
        test: NOTHING_LEFT,
        takenOut: [{ file: PURGE, from: '    db.delete(mails).where(eq(mails.subjectId, id)),\n', to: '' }],
      },
      {
        test: NOTHING_LEFT,
        takenOut: [
          { file: PURGE, from: '    db.delete(idempotencyKeys).where(isKeyOf(ctx, id)),\n', to: '' },
        ],
      },
      {
        test: 'test/worker/schedule.test.ts › R1: the daily cron purges, and no other does',
        takenOut: [{ file: 'src/worker/schedule.ts', from: ', purgeDeleted]', to: ']' }],
      },
      {
        test: `${PURGE_TEST} › R1: deletions of thirty days or less, memorials that an admin removed, and everything else are kept`,
        takenOut: [
          {
            file: 'src/worker/features/removal/removal.jobs.ts',
            from: "and(eq(memorials.status, 'DELETED'), lte(memorials.deletedAt, until))",
            to: "eq(memorials.status, 'DELETED')",
          },
        ],
      },
    ],
  },
  {
    id: 'R2',
    threat:
      'A stranger at an open screen deletes an account; or a deleted one is not hidden, not brought back whole, not forgotten',
    rule: 'The password is asked and its guesses count; all memorials are hidden with it, come back with it, or go with every word of it',
    proofs: [
      {
        test: `${ACCOUNT_TEST} › R2: without the right password nothing is deleted, and wrong ones count with those at the login`,
        takenOut: [
          {
            file: ACCOUNT,
            from: "await requireThrottledTry(ctx, 'loginFailures', loginThrottleKey(user.email))",
            to: 'async () => {}',
          },
        ],
      },
      {
        test: `${ACCOUNT_TEST} › R2: signing in within thirty days brings back what went with the account, and nothing else`,
        takenOut: [
          {
            file: 'src/worker/features/removal/restore-account.ts',
            from: '    sql`${memorials.deletedAt} = (select ${users.deletedAt} from ${users} where ${isIt})`,\n',
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNT_TEST} › R2: while an account is deleted nobody brings a memorial of it back, an admin neither`,
        takenOut: [
          {
            file: 'src/worker/features/admin/remove-memorial.ts',
            from: "eq(memorials.status, 'REMOVED'), hasOwner(ctx.db))",
            to: "eq(memorials.status, 'REMOVED'))",
          },
        ],
      },
      {
        test: `${ACCOUNT_TEST} › R2: after thirty days nothing says any more who it was; payments stay, and the address is free`,
        takenOut: [
          {
            file: 'src/worker/features/removal/purge-account.ts',
            from: 'inArray(mails.recipient, address), ',
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'R3',
    threat: 'A download of one’s data tells of others, or is used to wear the database out',
    rule: 'It names the rows of its owner alone, others as the page names them, removed memorials by name; five an hour',
    proofs: [
      {
        test: `${EXPORT_TEST} › R3 R4: the download holds everything of its owner, the consent too, and of others what stands on the page`,
        takenOut: [{ file: EXPORT, from: '    .where(eq(memorials.ownerId, id))\n', to: '' }],
      },
      {
        test: `${EXPORT_TEST} › R3: nobody downloads without being signed in, and nobody more than five times an hour`,
        takenOut: [
          {
            file: 'src/worker/features/accounts/accounts.routes.ts',
            from: "    await requireThrottle(ctx, 'accountExports', user.id)\n",
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'R6',
    threat:
      'Originals of a memorial leave it in other hands, a part is taken for the whole, or the page on the disk runs what a visitor typed',
    rule: 'Its owner alone takes everything out; what breaks off is no whole file; every word on the page is text; sixty an hour',
    proofs: [
      {
        test: `${TAKE_OUT}/broken-download.test.ts › its owner takes out what they deleted as long as it can be restored; what an admin removed, and others, nobody`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/access.ts',
            from: "  if (role !== 'OWNER') return editRefusal ?? OWNER_ONLY\n",
            to: '',
          },
        ],
      },
      {
        test: `${TAKE_OUT}/broken-download.test.ts › an export whose file goes away or breaks off in the middle never looks whole`,
        takenOut: [
          {
            file: `${TAKE_OUT}/memorial-download.ts`,
            from: 'new FixedLengthStream(length)',
            to: 'new IdentityTransformStream()',
          },
          { file: `${TAKE_OUT}/write-zip.ts`, from: 'out.abort(error)', to: 'out.close()' },
        ],
      },
      {
        test: `${TAKE_OUT}/export-page.test.ts › nothing that people typed becomes an element, an attribute or an address of the page`,
        takenOut: [{ file: `${TAKE_OUT}/export-page.ts`, from: '${escapeLines(body)}', to: '${body}' }],
      },
      {
        test: `${TAKE_OUT}/export-page.test.ts › a story that no sanitiser has seen gives the page no element that is not on the allow-list`,
        takenOut: [
          { file: `${TAKE_OUT}/story-html.ts`, from: "  if (!ELEMENTS.has(tag)) return ''\n", to: '' },
        ],
      },
      {
        test: `${TAKE_OUT}/broken-download.test.ts › nobody makes costs by asking for exports again and again`,
        takenOut: [
          {
            file: `${TAKE_OUT}/export.routes.ts`,
            from: "    await requireThrottle(ctx, 'memorialExports', access.memorial.ownerId)\n",
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'R4',
    threat: 'Nobody can say later what somebody agreed to',
    rule: 'Registering keeps when and to which terms, and that the person said to be of age; the words stand on the form',
    proofs: [
      {
        test: 'src/worker/features/accounts/register.test.ts › R4: registering keeps when and to which terms somebody agreed, anew each time',
        takenOut: [
          {
            file: 'src/worker/features/accounts/register.ts',
            from: '        sessionEpoch: sql`${users.sessionEpoch} + 1`,\n        termsAcceptedAt: at,\n        termsVersion: TERMS_VERSION,\n',
            to: '        sessionEpoch: sql`${users.sessionEpoch} + 1`,\n',
          },
        ],
      },
    ],
  },
  {
    id: 'R5',
    threat: 'A cache at the edge goes on showing a memorial that was made private or deleted',
    rule: 'The wish stands in the same batch as every change of what a stranger sees, is merged, urgent first and twice, a few calls a minute, and goes only once the edge agrees',
    proofs: [
      {
        test: `${EDGE_TEST} › R5: whatever takes a public memorial away asks the edge at once, in the same batch, to forget it`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/delete-memorial.ts',
            from: 'forgetPages(ctx, isIt, { urgent: true })',
            to: 'forgetPages(ctx, sql`false`, { urgent: true })',
          },
        ],
      },
      {
        test: `${EDGE_TEST} › R5: what the edge refused is asked again until it agrees, and what was asked meanwhile is not lost`,
        takenOut: [
          {
            file: EDGE,
            from: '(${cachePurges.tag}, ${cachePurges.askedAt}, ${cachePurges.dueAt}) in (',
            to: '${cachePurges.tag} in (',
          },
          {
            file: EDGE,
            from: 'select value ->> 0, value ->> 1, value ->> 2 from',
            to: 'select value ->> 0 from',
          },
        ],
      },
      {
        test: `${EDGE_TEST} › R5: what is urgent is said a second time later, because a replica may not have known yet`,
        takenOut: [
          {
            file: EDGE,
            from: 'or(eq(cachePurges.isUrgent, false), eq(cachePurges.isSecond, true))',
            to: 'or(eq(cachePurges.isUrgent, false), eq(cachePurges.isUrgent, true))',
          },
        ],
      },
      {
        test: `${EDGE_TEST} › R5: two who tell the edge the same at once have told it once`,
        takenOut: [
          { file: EDGE, from: 'dueAt: ctx.now() + CACHE_PURGE_AGAIN_MS', to: 'dueAt: cachePurges.dueAt' },
        ],
      },
      {
        test: 'test/worker/forgotten-pages.test.ts › R5: a public memorial is forgotten at the edge whenever what a stranger sees of it changes',
        takenOut: [
          {
            file: 'src/worker/features/accounts/account.ts',
            from: '    forgetPages(ctx, inArray(memorials.id, written), { urgent: false }),',
            to: "    forgetPages(ctx, and(inArray(memorials.id, written), eq(memorials.id, '')), { urgent: false }),",
          },
        ],
      },
      {
        test: `${EDGE_TEST} › R5: a hundred tags go in one call, the urgent first, and at most five calls a minute`,
        takenOut: [{ file: EDGE, from: " || (await countThrottle(ctx, 'cachePurges', 'all')) > 0", to: '' }],
      },
      {
        test: 'test/worker/schedule.test.ts › R5: the cron of each minute asks the edge for what is left over',
        takenOut: [{ file: 'src/worker/schedule.ts', from: ', drainCachePurges]', to: ']' }],
      },
      {
        test: `${EDGE_TEST} › R5: a refusal of the edge is a failure; where there is no cache there is nothing to forget`,
        takenOut: [
          { file: 'src/worker/public-pages.ts', from: 'if (!success) throw', to: 'if (false) throw' },
        ],
      },
    ],
  },
]
