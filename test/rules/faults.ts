import type { Rule } from './rule.ts'

const QUOTA_TEST = 'src/worker/features/quota/quota.test.ts'
const SENDING_TEST = 'src/worker/features/media/sending.test.ts'
const CRON_TEST = 'test/worker/faults-cron.test.ts'
const RACES_TEST = 'test/worker/races.test.ts'
const QUOTA = 'src/worker/features/quota/quota.do.ts'
const UPLOAD = 'src/worker/features/media/upload.ts'
const KEEP = 'src/worker/features/media/keep-file.ts'
const SAVE = 'src/worker/features/media/save-media.ts'
const JOBS = 'src/worker/features/media/media.jobs.ts'
const ACCESS = 'src/worker/features/memorials/memorial-access.ts'

export const rules: Rule[] = [
  {
    id: 'F1',
    threat: 'The server dies in the middle of an upload',
    rule: 'Room that a request held dies with its process; nothing is seen without its row, and no row comes before its object',
    proofs: [
      {
        test: `${QUOTA_TEST} › an object that wakes forgets what died with its request and keeps what can be resumed`,
        takenOut: [
          {
            file: QUOTA,
            from: `if (state === 'waking') this.#sql.exec("DELETE FROM items WHERE lease = 'request'")`,
            to: 'void state',
          },
        ],
      },
    ],
  },
  {
    id: 'F2',
    threat: 'A phone loses its line, or sends less than it promised',
    rule: 'A failed upload takes away what it stored and gives its room back; one in pieces goes on from what has come, byte for byte',
    proofs: [
      {
        test: 'src/worker/features/media/resumable.test.ts › what came before a line broke is kept, and the upload goes on from there',
        takenOut: [
          {
            file: 'src/worker/features/media/piece-receiver.ts',
            from: 'this.#save(() => this.#holdRow(Buffer.concat(row)))',
            to: 'this.#save(() => void row)',
          },
        ],
      },
      {
        test: `${SENDING_TEST} › a file that breaks off on the way leaves nothing, small or in parts`,
        takenOut: [
          { file: UPLOAD, from: 'if (draft.reserved) await abandonFile(ctx, draft)', to: 'void abandonFile' },
        ],
      },
    ],
  },
  {
    id: 'F3',
    threat: 'A full disk or a region that is away lets a call hang, and with it a person',
    rule: 'Every call to a binding has a deadline',
    proofs: [
      {
        test: 'src/worker/platform/bindings.test.ts › F3: the writing of an object that hangs fails within a minute',
        takenOut: [
          {
            file: 'src/worker/platform/bindings.ts',
            from: 'inTime(result, DEADLINE_MS[part], part)',
            to: 'result',
          },
        ],
      },
      {
        test: 'src/worker/platform/bindings.test.ts › F3: a batch that hangs fails within a minute',
        takenOut: [
          {
            file: 'src/worker/platform/bindings.ts',
            from: `if (name === 'batch') {`,
            to: `if (name === 'none') {`,
          },
        ],
      },
    ],
  },
  {
    id: 'F4',
    threat: 'Storage, database or quota fails at any step of an upload',
    rule: 'An upload without an answer of the database keeps its object, since the row may stand or still come',
    proofs: [
      {
        test: 'test/worker/faults-media-keyless.test.ts › F4: a photo from a client that sends no key is there once and whole, or not at all, whatever fails on the way',
        takenOut: [
          { file: KEEP, from: 'if (!draft.isUncertain) await deletePrefix', to: 'await deletePrefix' },
        ],
      },
    ],
  },
  {
    id: 'F5',
    threat: 'The database fails before or after a write, or its answer is lost, and the browser sends again',
    rule: 'One batch a write, and the same key finds what it made: a payment is spent once',
    proofs: [
      {
        test: 'test/worker/faults-memorials.test.ts › F5: a memorial is made once and its payment spent once, whatever fails while it is made',
        takenOut: [
          {
            file: 'src/worker/features/memorials/memorials.ts',
            from: 'sql`${key} is not null and ${isMade}`',
            to: 'sql`0`',
          },
        ],
      },
    ],
  },
  {
    id: 'F11',
    threat: 'The object that counts dies between holding room and counting',
    rule: 'Rows are the truth: it counts them anew when it wakes, and what it holds expires',
    proofs: [
      {
        test: `${QUOTA_TEST} › a reservation dies after 24 hours, a committed medium does not`,
        takenOut: [
          {
            file: QUOTA,
            from: `this.#sql.exec('DELETE FROM items WHERE expires_at <= ?', Date.now())`,
            to: '',
          },
        ],
      },
      {
        test: `${QUOTA_TEST} › an object that wakes forgets what died with its request and keeps what can be resumed`,
        takenOut: [
          {
            file: QUOTA,
            from: 'for (const row of rows) this.#put(',
            to: 'for (const row of rows.slice(1)) this.#put(',
          },
        ],
      },
    ],
  },
  {
    id: 'F19',
    threat: 'Sweep, deletions or removals by cron run twice at once, or die on the way',
    rule: 'Each job can be killed anywhere and repeated; one failure holds up nothing else; what is young is left alone',
    proofs: [
      {
        test: `${CRON_TEST} › F13: one deletion that fails holds up none of the others`,
        takenOut: [
          { file: JOBS, from: `ctx.log.error('objects_not_deleted', error, { prefix })`, to: 'throw error' },
        ],
      },
      {
        test: `${CRON_TEST} › F13: the sweep leaves what is younger than an hour, and what room is held for`,
        takenOut: [{ file: JOBS, from: 'uploaded.getTime() > ctx.now() - ORPHAN_AFTER_MS', to: 'false' }],
      },
    ],
  },
  {
    id: 'F14',
    threat: 'A memorial is locked, deleted, or its link renewed while something is on its way to it',
    rule: 'Whether it takes anything is decided in the write itself',
    proofs: [
      {
        test: `${RACES_TEST} › F14: what is sent while its memorial is deleted is not kept, and comes back with nothing`,
        takenOut: [
          {
            file: ACCESS,
            from: '.where(and(eq(memorials.id, memorial.id), isThere(), takes)),',
            to: '.where(and(eq(memorials.id, memorial.id), takes)),',
          },
        ],
      },
      {
        test: `${SENDING_TEST} › what a contributor sends while the invitation is revoked is not kept`,
        takenOut: [
          {
            file: ACCESS,
            from: `and(eq(memorials.privacy, 'INVITE'), hasLiveLink)`,
            to: `and(eq(memorials.privacy, 'INVITE'), hasLiveLink && undefined)`,
          },
        ],
      },
    ],
  },
  {
    id: 'F15',
    threat: 'Many families at once, while the server dies again and again',
    rule: 'What was answered is there, once, and nothing else',
    deviation:
      'Random kills are no proof that can be repeated, so this is a command and not a test: `npm run soak` compares a model of what each person was told with what is there, then checks every invariant',
  },
  {
    id: 'F16',
    threat: 'The database is taken back to yesterday while the files are of today',
    rule: 'The sweep keeps what the database may only have forgotten',
    proofs: [
      {
        test: `${CRON_TEST} › F16: what a database that was taken back has forgotten is kept, also after it was written to again`,
        takenOut: [
          {
            file: JOBS,
            from: `.filter(({ memory }) => memory === 'known')`,
            to: `.filter(({ memory }) => memory !== 'unknown')`,
          },
        ],
      },
    ],
  },
  {
    id: 'F18',
    threat: 'A new version is deployed in the middle of an upload',
    rule: 'The same upload, sent again to the new version, is one medium',
    proofs: [
      {
        test: 'src/worker/features/media/upload.test.ts › the same Idempotency-Key makes one medium, sent one after the other or at once',
        takenOut: [
          {
            file: SAVE,
            from: `.where(and(eq(media.id, draft.mediaId), isNotNull(sql\`\${draft.idempotencyKey}\`))),`,
            to: '.where(and(eq(media.id, draft.mediaId), isNotNull(sql`null`))),',
          },
        ],
      },
    ],
  },
  {
    id: 'C3',
    threat: 'Somebody takes one visitor session after another to get more room',
    rule: 'A guest adds nothing; a memorial has a ceiling for everybody together',
    proofs: [
      {
        test: `${SENDING_TEST} › a stranger, a guest, another owner, an admin and a token of another memorial are refused`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/access.ts',
            from: 'if (viewer.contributor && !viewer.contributor.isGuest)',
            to: 'if (viewer.contributor)',
          },
        ],
      },
      {
        test: `${QUOTA_TEST} › a memorial has limits for everybody together`,
        takenOut: [
          {
            file: QUOTA,
            from: `now.bytes + bytes > MEMORIAL_QUOTA.bytes ? 'memorial_bytes' : null`,
            to: 'null',
          },
        ],
      },
    ],
  },
  {
    id: 'C4',
    threat: 'Twenty uploads at once with one place left',
    rule: 'Room is held before the first byte, in one piece between reading and writing',
    proofs: [
      {
        test: `${RACES_TEST} › C4: of 20 photos at once into one free place exactly one is kept`,
        takenOut: [
          {
            file: QUOTA,
            from: 'if (contributorId !== null && now.own >= CONTRIBUTOR_MAX[type])',
            to: 'if (now.own < 0)',
          },
        ],
      },
    ],
  },
  {
    id: 'C5',
    threat: 'A deletion gives its room back twice, or never',
    rule: 'Room is given back by the id of the medium; where that was lost, rows are counted again before anybody is refused',
    proofs: [
      {
        test: `${QUOTA_TEST} › 10 deletions at once give the room back once`,
        takenOut: [
          {
            file: 'src/worker/features/media/edit-media.ts',
            from: 'await releaseQuota(ctx, memorial.id, row.id)',
            to: 'void releaseQuota',
          },
        ],
      },
      {
        test: `${QUOTA_TEST} › C5: a place whose return was lost is found again before anybody is refused, and only then`,
        takenOut: [
          {
            file: QUOTA,
            from: 'if (this.#refusal(item)) await this.#countAgain()',
            to: 'void this.#countAgain',
          },
        ],
      },
    ],
  },
  {
    id: 'M9',
    threat: 'The owner locks while a photo or a message is on its way',
    rule: 'Media and messages ask in their own write whether the memorial is open to their sender',
    proofs: [
      {
        test: `${SENDING_TEST} › what a contributor sends while the memorial is locked is not kept`,
        takenOut: [
          {
            file: SAVE,
            from: 'insertWhere(db, media, values, isOpenFor(db, access))',
            to: 'insertWhere(db, media, values, sql`${isOpenFor(db, access)} or 1`)',
          },
        ],
      },
      {
        test: 'test/worker/races.test.ts › M9: a message whose memorial is locked between the look and the write is not kept',
        takenOut: [
          {
            file: 'src/worker/features/comments/post-comment.ts',
            from: 'sql`${isOpenFor(ctx.db, access)} and not exists (${byKey})`',
            to: 'sql`(${isOpenFor(ctx.db, access)} or 1) and not exists (${byKey})`',
          },
        ],
      },
    ],
  },
  {
    id: 'I1',
    threat: 'A page shows a photo that is not there',
    rule: 'Each row has its object with the size that it says; a row that stands is read in the batch that made it',
    proofs: [
      {
        test: 'test/worker/faults-media-keyless.test.ts › F4: a photo from a client that sends no key is there once and whole, or not at all, whatever fails on the way',
        takenOut: [
          { file: SAVE, from: 'draft.isUncertain = true\n  draft.reserved = null', to: 'void reserved' },
        ],
      },
    ],
  },
  {
    id: 'I2',
    threat: 'Files stay behind that nobody knows of',
    rule: 'What no row knows is swept after an hour',
    proofs: [
      {
        test: `${CRON_TEST} › F13: the sweep, killed anywhere and run five times at once, removes what no row knows and nothing else`,
        takenOut: [
          { file: JOBS, from: 'if (orphans.length > 0) await ctx.env.MEDIA.delete(orphans)', to: '' },
        ],
      },
    ],
  },
  {
    id: 'I3',
    threat: 'A quota says other than what is there',
    rule: 'It counts the rows when it wakes, and holds room for nothing else',
    proofs: [
      {
        test: `${QUOTA_TEST} › a commit whose reservation is gone asks for room again`,
        takenOut: [
          {
            file: QUOTA,
            from: 'if (limit === null) this.#put(item, null, null)',
            to: 'this.#put(item, null, null)',
          },
        ],
      },
    ],
  },
  {
    id: 'I6',
    threat: 'What somebody typed is lost in a failure, or refused because it was saved the first time',
    rule: 'The same change sent again is answered as saved',
    proofs: [
      {
        test: 'test/worker/faults-memorials.test.ts › F5: a life story is there once, whatever fails on the way',
        takenOut: [
          {
            file: 'src/worker/features/memorials/edit-memorial.ts',
            from: 'if (!changed && !isWritten(row, { ...columns, ...storyColumns(lifeStory) })) {',
            to: 'if (!changed) {\n    void isWritten',
          },
        ],
      },
    ],
  },
  {
    id: 'I7',
    threat: 'A memorial is locked by one word and open by another',
    rule: 'One place changes privacy, and lockedAt with it',
    proofs: [
      {
        test: 'src/worker/features/memorials/privacy.test.ts › a paid memorial goes from LOCKED to PRIVATE, locked exactly while LOCKED',
        takenOut: [
          {
            file: 'src/worker/features/memorials/privacy.ts',
            from: '${ctx.now()})` : null,',
            to: '${ctx.now()})` : memorials.lockedAt,',
          },
        ],
      },
    ],
  },
  {
    id: 'I8',
    threat: 'A session works after its end',
    rule: 'Ended sessions and the epoch are in the database, which decides',
    proofs: [
      {
        test: 'src/worker/features/accounts/reset-password.test.ts › a reset sets the password, ends every session at once and mails a notice',
        takenOut: [
          {
            file: 'src/worker/features/accounts/sessions.ts',
            from: 'eq(users.sessionEpoch, session.epoch),',
            to: '',
          },
        ],
      },
    ],
  },
]
