import type { Rule } from './rule.ts'

const ACCESS = 'src/worker/features/memorials/access.ts'
const ACCESS_FOR = 'src/worker/features/memorials/memorial-access.ts'
const PRIVACY = 'src/worker/features/memorials/privacy.ts'
const EDIT = 'src/worker/features/memorials/edit-memorial.ts'
const STREAM = 'src/worker/features/media/serve-media.ts'
const TABLE = 'test/worker/access-table'
const DEEDS = 'test/worker/admin-deeds.test.ts'
const SLUGS = 'src/worker/features/memorials/slug.test.ts'
const CONTEXT = 'test/worker/contextual-data.test.ts'
const LEAKS = 'test/worker/location-leaks'
const KEYS = 'test/worker/foreign-keys.test.ts'
const FOREIGN =
  'test/worker/foreign-media.test.ts › M3: cover and portrait are pictures of the memorial itself: no other’s, no recording, none that is still arriving'
const BACK = 'test/worker/taken-back.test.ts › M5: once a memorial is'
const INVITATION =
  'test/worker/invitation-states.test.ts › M12: what an invitation opens while the memorial is'
const CACHED = 'test/worker/public-request.test.ts'
const UNPAID = 'test/worker/unpaid.test.ts'
const SEARCH = 'test/worker/admin-search.test.ts'

/** Lets everybody in at the door of the media, as if the memorial was not asked. */
const STREAM_OPEN = [
  {
    file: STREAM,
    from: "await requireAccess(ctx, found.memorial, 'view', presentedIn(input))",
    to: 'await accessFor(ctx, found.memorial, presentedIn(input))',
  },
  { file: STREAM, from: '  requireAccess,\n  type', to: '  accessFor,\n  type' },
]

/** Gives verbs the body as it was sent. */
const LOOSE = [
  {
    file: 'src/worker/http/route.ts',
    from: 'body: endpoint.body ? validate(endpoint.body, rawBody ?? {}) : undefined,',
    to: 'body: endpoint.body ? { ...(rawBody as object), ...(validate(endpoint.body, rawBody ?? {}) as object) } : undefined,',
  },
]

/** Who may see and do what with a memorial, and what nobody may write. */
export const rules: Rule[] = [
  {
    id: 'M1',
    threat: 'Somebody reads or changes a memorial that is not theirs, by naming its id',
    rule: 'One decision from viewer and memorial, asked by every call and again in the write itself; a call without a row in the table of who may do what fails the build',
    proofs: [
      {
        test: `${TABLE}.test.ts › every call that names a memorial, its media, messages or files has a row in this table`,
        takenOut: [
          {
            file: 'test/worker/access-table.ts',
            from: "  calendar: { path: memorialPath('/funeral.ics'), ...view(200) },\n",
            to: '',
          },
        ],
      },
      {
        test: `${TABLE}.test.ts › who may do what with a memorial that is PRIVATE`,
        takenOut: [{ file: ACCESS, from: 'view: viewRefusal,', to: 'view: null,' }],
      },
      {
        test: `${TABLE}-invite.test.ts › who may do what with a memorial that is INVITE`,
        takenOut: [
          {
            file: ACCESS,
            from: "return { code: 'invitation_needed', message: messages.memorial.invitationNeeded }\n}\n\nfunction refuseContribute",
            to: 'return null\n}\n\nfunction refuseContribute',
          },
        ],
      },
      {
        test: `${TABLE}-locked.test.ts › who may do what with a memorial that is LOCKED`,
        takenOut: [{ file: ACCESS, from: 'edit: editRefusal,', to: 'edit: null,' }],
      },
      {
        test: `${TABLE}-locked.test.ts › who may do what with a memorial that is LOCKED`,
        takenOut: [
          {
            file: ACCESS,
            from: "  if (memorial.privacy === 'LOCKED') return { code: 'memorial_locked', message: messages.memorial.locked }\n",
            to: '',
          },
        ],
      },
      {
        test: `${TABLE}-invite.test.ts › who may do what with a memorial that is INVITE`,
        takenOut: [{ file: ACCESS, from: 'contribute: contributeRefusal,', to: 'contribute: viewRefusal,' }],
      },
      {
        test: `${TABLE}-invite.test.ts › who may do what with a memorial that is INVITE`,
        takenOut: [
          {
            file: ACCESS,
            from: 'return mayEdit || !isOwn ? editRefusal : contributeRefusal',
            to: 'return isOwn ? editRefusal : contributeRefusal',
          },
        ],
      },
      {
        test: `${TABLE}.test.ts › who may do what with a memorial that is PRIVATE`,
        takenOut: [{ file: ACCESS, from: "role === 'OWNER' ? null : OWNER_ONLY", to: 'null' }],
      },
      { test: `${TABLE}.test.ts › who may do what with a memorial that is PRIVATE`, takenOut: STREAM_OPEN },
      {
        test: `${TABLE}-invite.test.ts › who may do what with a memorial that is INVITE`,
        takenOut: [
          {
            file: 'src/worker/features/media/edit-media.ts',
            from: '  if (refusal) throw new AppError(refusal.code, refusal.message)\n',
            to: '',
          },
        ],
      },
      {
        test: `${TABLE}-removed-locked.test.ts › nobody but an admin can do anything with a LOCKED memorial that is REMOVED`,
        takenOut: [{ file: ACCESS, from: '  if (isGone) return NOT_FOUND\n', to: '' }],
      },
      {
        test: `${TABLE}-deleted-private.test.ts › nobody but an admin can do anything with a PRIVATE memorial that is DELETED`,
        takenOut: [{ file: ACCESS, from: "isGone && role !== 'ADMIN' ? NOT_FOUND : mayEdit", to: 'mayEdit' }],
      },
      {
        test: `${TABLE}-suspended.test.ts › M1: an owner whose account is suspended is nobody, by every call`,
        takenOut: [
          {
            file: 'src/worker/features/accounts/sessions.ts',
            from: '        eq(users.sessionEpoch, session.epoch),\n        isNull(users.suspendedAt),\n',
            to: '',
          },
        ],
      },
      {
        test: 'test/worker/still-allowed.test.ts › M1: what a relative changes while the owner gives out a new link is refused in the write itself',
        takenOut: [
          {
            file: ACCESS_FOR,
            from: 'found.access.canEdit ? undefined : isOpenFor(db, found)',
            to: 'found.access.canEdit ? undefined : isThere() && undefined',
          },
        ],
      },
      {
        test: 'test/worker/still-allowed.test.ts › M1: what a relative changes while the owner gives out a new link is refused in the write itself',
        takenOut: [
          {
            file: ACCESS_FOR,
            from: "and(eq(memorials.privacy, 'INVITE'), hasLiveLink)",
            to: "eq(memorials.privacy, hasLiveLink ? 'INVITE' : 'INVITE')",
          },
        ],
      },
      {
        test: 'test/worker/still-allowed.test.ts › M1: what a relative changes while the owner locks the memorial is refused in the write itself',
        takenOut: [
          { file: ACCESS_FOR, from: "and(eq(memorials.privacy, 'INVITE'), hasLiveLink)", to: 'hasLiveLink' },
        ],
      },
    ],
  },
  {
    id: 'M2',
    threat:
      'A change carries keys that are not its sender’s to write: owner, payment, status, address, dates',
    rule: 'A verb is given what its schema names and nothing else; other keys are dropped, and no row of any table changes by them',
    proofs: [
      {
        test: `${KEYS} › M2: a change of a memorial writes nothing but what it may, whatever else it carries`,
        takenOut: LOOSE,
      },
      {
        test: `${KEYS} › M2: a change of a service writes nothing but what it may, whatever else it carries`,
        takenOut: LOOSE,
      },
      {
        test: `${KEYS} › M2: what is made in memorials is as it would be without the keys that it carries besides`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/memorials.ts',
            from: '      ...dates,\n      createdAt: ctx.now(),',
            to: '      ...dates,\n      ...input,\n      createdAt: ctx.now(),',
          },
          ...LOOSE,
        ],
      },
    ],
  },
  {
    id: 'M3',
    threat: 'A page shows a picture of somebody else’s memorial, or hands out a programme of another',
    rule: 'Cover and portrait are pictures of the memorial itself, decided in the write; a row of a medium exists only once it is whole. A programme belongs to a service of this memorial',
    proofs: [
      {
        test: FOREIGN,
        takenOut: [
          {
            file: EDIT,
            from: '    and ${media.memorialId} = ${memorialId} and',
            to: '    and ${memorialId} = ${memorialId} and',
          },
        ],
      },
      { test: FOREIGN, takenOut: [{ file: EDIT, from: " and ${media.type} = 'IMAGE')`", to: ')`' }] },
      {
        test: 'src/worker/features/funeral/programme.test.ts › a programme needs a service of this memorial',
        takenOut: [
          {
            file: 'src/worker/features/funeral/funeral.ts',
            from: '    .select()\n    .from(funeralEvents)\n    .where(and(eq(funeralEvents.id, eventId), eq(funeralEvents.memorialId, memorialId)))',
            to: '    .select()\n    .from(funeralEvents)\n    .where(eq(funeralEvents.id, eventId))',
          },
        ],
      },
    ],
  },
  {
    id: 'M4',
    threat:
      'A picture of a private memorial is had by its id: by HEAD, a range, a known ETag, a thumbnail, another spelling',
    rule: 'Access is decided before anything of the file is looked at; every refusal is the same few words, uncacheable, without ETag, length or bytes',
    proofs: [
      {
        test: 'test/worker/private-media.test.ts › M4: nothing of the media of a private memorial is given away, whoever asks and however',
        takenOut: STREAM_OPEN,
      },
      {
        test: 'test/worker/private-media.test.ts › M4: nothing of the media of a private memorial is given away, whoever asks and however',
        takenOut: [
          {
            file: ACCESS,
            from: "  if (memorial.privacy === 'PRIVATE') return { code: 'memorial_private', message: messages.memorial.private }\n",
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'M5',
    threat: 'What was taken back lives on in caches and browsers',
    rule: 'Only media and pages of a LOCKED memorial may be kept, tagged; taking it away asks every edge in the same batch to forget it, and the next fetch is refused, also with a known ETag',
    proofs: [
      {
        test: `${BACK} made private the next fetch is refused, also of what the browser has already`,
        takenOut: STREAM_OPEN,
      },
      {
        test: `${BACK} given a new link the next fetch is refused, also of what the browser has already`,
        takenOut: [
          {
            file: 'src/worker/features/invites/contributor-sessions.ts',
            from: "        eq(inviteTokens.status, 'ASSIGNED'),\n        gt(",
            to: '        gt(',
          },
        ],
      },
      {
        test: `${BACK} closed to its guests the next fetch is refused, also of what the browser has already`,
        takenOut: [
          {
            file: STREAM,
            from: "memorial.privacy === 'LOCKED' && access.role !== 'ADMIN'",
            to: "access.role !== 'ADMIN'",
          },
        ],
      },
      {
        test: 'src/worker/features/memorials/public-cache.test.ts › R5: whatever takes a public memorial away asks the edge at once, in the same batch, to forget it',
        takenOut: [
          {
            file: PRIVACY,
            from: "and(isIt, sql`${privacy} <> 'LOCKED'`), { urgent: true }",
            to: "and(isIt, sql`${privacy} <> 'LOCKED'`), { urgent: false }",
          },
        ],
      },
      {
        test: `${CACHED} › M5: nothing of who is asking reaches the entrypoint that is cached, and it sets no cookie`,
        takenOut: [
          {
            file: 'src/worker/http/public-request.ts',
            from: "{ method: request.method === 'HEAD' ? 'HEAD' : 'GET' }",
            to: "{ method: request.method === 'HEAD' ? 'HEAD' : 'GET', headers: request.headers }",
          },
        ],
      },
      {
        test: `${CACHED} › M5: of an address only what decides what the page says reaches the entrypoint that is cached`,
        takenOut: [
          {
            file: 'src/worker/http/public-request.ts',
            from: 'new URL(asked.origin)',
            to: 'new URL(asked)',
          },
        ],
      },
      {
        test: `${CACHED} › M5: an address that looks like one of another site is a path of our own, which leads nowhere: %s`,
        takenOut: [
          {
            file: 'src/worker/http/public-request.ts',
            from: 'address.pathname = screenAt(asked.pathname)',
            to: 'address.href = new URL(screenAt(asked.pathname), asked).href',
          },
        ],
      },
      {
        test: `${CACHED} › M5: of a session the entrypoint that is cached hears at home alone, and only that there is one`,
        takenOut: [
          {
            file: 'src/worker/http/public-request.ts',
            from: 'isHome && carriesSession(request)',
            to: 'carriesSession(request)',
          },
        ],
      },
      {
        test: 'test/worker/home-page.test.ts › M5: a browser with a session is given the app, which holds nothing of the person, and no landing page',
        takenOut: [
          {
            file: 'src/worker/pages/home-page.ts',
            from: ' || url.searchParams.has(APP)',
            to: '',
          },
        ],
      },
      {
        test: `${CACHED} › M5: an address with an invitation is told to no other site, though the page does not know it`,
        takenOut: [
          {
            file: 'src/worker/http/headers.ts',
            from: "TOKEN_PATHS.test(url.pathname) || url.searchParams.has('invite')",
            to: 'TOKEN_PATHS.test(url.pathname)',
          },
        ],
      },
      {
        test: 'test/worker/first-read.test.ts › M5: an edge keeps the page of a public memorial and no page at an address that shows none',
        takenOut: [
          {
            file: 'src/worker/public-pages.ts',
            from: "page.ok && (page.headers.has('Cache-Tag') || !MEMORIAL.test(url.pathname))",
            to: 'page.ok',
          },
        ],
      },
    ],
  },
  {
    id: 'M6',
    threat: 'Who has died, or who has a memorial, is found out by trying names',
    rule: 'A name and 30 random bits, given once for ever; what is hidden says only that; 60 misses an address a minute, then unknown and hidden are one answer',
    proofs: [
      {
        test: `${SLUGS} › M6: every slug ends in six random characters of 32, so a name alone leads nowhere`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/slug.ts',
            from: 'const RANDOM_LENGTH = 6',
            to: 'const RANDOM_LENGTH = 5',
          },
        ],
      },
      {
        test: `${SLUGS} › M6: the slug of a memorial that is there, was deleted, or is gone for good is never given again`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/slug.ts',
            from: '\n          union all select 1 from ${retiredSlugs} where ${retiredSlugs.slug} = ${slug}',
            to: '',
          },
        ],
      },
      {
        test: `${SLUGS} › M6: what is not public says so and not whose it is; names and wrong ends are not found`,
        takenOut: [
          {
            file: ACCESS_FOR,
            from: '.where(eq(memorials.slug, slug))',
            to: '.where(sql`${memorials.slug} like ${slug}`)',
          },
        ],
      },
      {
        test: `${SLUGS} › M6: who tries many addresses is stopped and learns no more which of them exist; what one may see still opens`,
        takenOut: [
          { file: ACCESS_FOR, from: '    if (error instanceof AppError) await limitGuesses(ctx)\n', to: '' },
        ],
      },
    ],
  },
  {
    id: 'M8',
    threat: 'Privacy and lock drift apart, or a memorial that nobody paid for is shared',
    rule: 'One verb changes privacy; it sets and clears `lockedAt` in the same statement, and sharing needs a payment in the condition of the write',
    proofs: [
      {
        test: 'src/worker/features/memorials/privacy.test.ts › a paid memorial goes from LOCKED to PRIVATE, locked exactly while LOCKED',
        takenOut: [
          {
            file: PRIVACY,
            from: "privacy === 'LOCKED' ? sql`coalesce(${memorials.lockedAt}, ${ctx.now()})` : null",
            to: 'sql`coalesce(${memorials.lockedAt}, ${ctx.now()})`',
          },
        ],
      },
      {
        test: 'src/worker/features/memorials/privacy.test.ts › a paid memorial goes from PRIVATE to LOCKED, locked exactly while LOCKED',
        takenOut: [
          {
            file: PRIVACY,
            from: "privacy === 'LOCKED' ? sql`coalesce(${memorials.lockedAt}, ${ctx.now()})` : null",
            to: 'memorial.lockedAt',
          },
        ],
      },
      {
        test: 'src/worker/features/memorials/privacy.test.ts › an unpaid memorial in PRIVATE goes to LOCKED only if that shares nothing',
        takenOut: [
          { file: PRIVACY, from: "or(sql`${privacy} = 'PRIVATE'`, isPaid(ctx.db))", to: 'isPaid && isIt' },
        ],
      },
    ],
  },
  {
    id: 'M12',
    threat: 'An invitation opens what is private, or lets people add to what is closed',
    rule: 'PRIVATE: 403 and no session; LOCKED: to look at only; a new link, a removed or deleted memorial: not found. Decided again when the session is written',
    proofs: [
      {
        test: `${INVITATION} PRIVATE`,
        takenOut: [
          {
            file: 'src/worker/features/invites/invite-links.ts',
            from: "  if (row.privacy === 'PRIVATE') throw new AppError('memorial_private', messages.memorial.private)\n",
            to: '',
          },
        ],
      },
      {
        test: `${INVITATION} LOCKED`,
        takenOut: [
          {
            file: ACCESS,
            from: "  if (memorial.privacy === 'LOCKED') return { code: 'memorial_locked', message: messages.memorial.locked }\n",
            to: '',
          },
          {
            file: ACCESS_FOR,
            from: "and(eq(memorials.privacy, 'INVITE'), hasLiveLink)",
            to: 'hasLiveLink',
          },
        ],
      },
      {
        test: `${INVITATION} REMOVED`,
        takenOut: [
          {
            file: 'src/worker/features/invites/invite-links.ts',
            from: "eq(inviteTokens.status, 'ASSIGNED'), isThere()))",
            to: "eq(inviteTokens.status, 'ASSIGNED')))",
          },
        ],
      },
      {
        test: `${INVITATION} by a new link`,
        takenOut: [
          {
            file: 'src/worker/features/invites/invite-links.ts',
            from: "eq(inviteTokens.token, token), eq(inviteTokens.status, 'ASSIGNED'), isThere()",
            to: 'eq(inviteTokens.token, token), isThere()',
          },
        ],
      },
    ],
  },
  {
    id: 'M14',
    threat: 'Strangers learn where a grave is',
    rule: 'One function gives out the place: to owner and admin, and once its owner shows it to whoever may see the memorial; three calls and the map use it, no other answer holds it',
    proofs: [
      {
        test: `${LEAKS}-locked.test.ts › M14: no answer of any call tells the place of a memorial that is LOCKED before its owner shows it`,
        takenOut: [
          {
            file: 'src/worker/features/location/location.ts',
            from: 'return access.canEdit || memorial.showLocation',
            to: 'return access.canView || memorial.showLocation',
          },
        ],
      },
      {
        test: `${LEAKS}-invite.test.ts › M14: no answer of any call tells the place of a memorial that is INVITE before its owner shows it`,
        takenOut: [
          {
            file: 'src/worker/features/location/location.ts',
            from: '  if (!canSeeLocation(access)) return null\n',
            to: '  void canSeeLocation\n',
          },
        ],
      },
      {
        test: `${LEAKS}-private.test.ts › M14: no answer of any call tells the place of a memorial that is PRIVATE, whatever its owner shows`,
        takenOut: [{ file: ACCESS, from: 'view: viewRefusal,', to: 'view: null,' }],
      },
      {
        test: `${LEAKS}-invite.test.ts › M14: the place of a memorial that is INVITE, once shown, is told by three calls to those who may see it, and by no other`,
        takenOut: [
          {
            file: ACCESS,
            from: "return { code: 'invitation_needed', message: messages.memorial.invitationNeeded }\n}\n\nfunction refuseContribute",
            to: 'return null\n}\n\nfunction refuseContribute',
          },
        ],
      },
    ],
  },
  {
    id: 'M15',
    threat: 'Dates, places and services that cannot be are stored, or more of them than there may be',
    rule: 'Real days from 1500 on, birth ≤ death ≤ tomorrow (somewhere it is tomorrow already), against the other date as it is in the write; plain decimal degrees; at most 4 services by the write itself',
    proofs: [
      {
        test: `${CONTEXT} › M15: a life has dates that can be, in their order, written in one way`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/dates.ts',
            from: 'dateOfBirth !== null && dateOfDeath !== null && dateOfBirth > dateOfDeath',
            to: 'dateOfBirth !== null && dateOfDeath !== null && dateOfBirth > tomorrow',
          },
        ],
      },
      {
        test: `${CONTEXT} › M15: a life has dates that can be, in their order, written in one way`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/dates.ts',
            from: 'if (dateOfDeath !== null && dateOfDeath > tomorrow)',
            to: "if (dateOfDeath !== null && dateOfDeath > '9999')",
          },
        ],
      },
      {
        test: `${CONTEXT} › M15: a life has dates that can be, in their order, written in one way`,
        takenOut: [{ file: 'src/shared/memorials.ts', from: '    year >= 1500 &&\n', to: '' }],
      },
      {
        test: `${CONTEXT} › M15: two people who each move one date at once never leave a death before a birth`,
        takenOut: [{ file: EDIT, from: '          datesUnmoved(memorial, input),\n', to: '' }],
      },
      {
        test: `${CONTEXT} › M15: a place is two plain numbers on earth`,
        takenOut: [
          {
            file: 'src/shared/location.ts',
            from: 'DECIMAL.test(value)',
            to: "DECIMAL.test(value) || value.trim() !== ''",
          },
        ],
      },
      {
        test: `${CONTEXT} › M15: a place is two plain numbers on earth`,
        takenOut: [{ file: 'src/shared/location.ts', from: ' && Math.abs(value) <= bound', to: '' }],
      },
      {
        test: 'src/worker/features/funeral/funeral.test.ts › ten parallel services make exactly four, and a place that is free again can be taken',
        takenOut: [
          {
            file: 'src/worker/features/funeral/funeral.ts',
            from: 'length: FUNERAL_EVENTS_MAX',
            to: 'length: FUNERAL_EVENTS_MAX + 1',
          },
        ],
      },
    ],
  },
  {
    id: 'M16',
    threat: 'The payment is skipped by calling the next step at once',
    rule: 'A family may begin before it pays (server rules 4): three unpaid drafts by the condition of the write, which only their owner sees; nothing that is sent makes one paid, and no call shares it',
    proofs: [
      {
        test: `${UNPAID} › M16: without a payment there are three drafts, which nobody but their owner sees, whatever is sent`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/memorials.ts',
            from: '${unpaidDrafts(userId)} < ${UNPAID_DRAFTS_MAX}',
            to: '${unpaidDrafts(userId)} <= ${UNPAID_DRAFTS_MAX}',
          },
        ],
      },
      {
        test: `${UNPAID} › M16: an unpaid draft can be written and filled, and not be shared by any call`,
        takenOut: [
          { file: PRIVACY, from: "or(sql`${privacy} = 'PRIVATE'`, isPaid(ctx.db))", to: 'isPaid && isIt' },
        ],
      },
      {
        test: `${UNPAID} › M16: an unpaid draft can be written and filled, and not be shared by any call`,
        takenOut: LOOSE,
      },
    ],
  },
  {
    id: 'M18',
    threat:
      'The console’s search reads or changes what it should not, or an admin looks into families’ memorials unseen',
    rule: 'Search text is a bound parameter and found letter for letter; 20 a page, whatever is asked; what an admin does, and reads of what is not public, is in the log by the call that was matched, and its owner sees it',
    proofs: [
      {
        test: `${SEARCH} › M18: whatever is searched for among memorials and payments is text: it finds what holds it, and does nothing`,
        takenOut: [
          {
            file: 'src/worker/features/admin/search.ts',
            from: 'gte(searchEndings.ending, from)',
            to: "sql`${searchEndings.ending} >= ${sql.raw(`'${from}'`)}`",
          },
        ],
      },
      {
        test: `${SEARCH} › M18: whatever is searched for among memorials and payments is text: it finds what holds it, and does nothing`,
        takenOut: [
          {
            file: 'src/worker/features/admin/search.ts',
            from: 'lt(searchEndings.ending, to)',
            to: 'undefined',
          },
        ],
      },
      {
        test: `${SEARCH} › M18: a page, a place in a list and an id are no commands either, and no page is larger than 20`,
        takenOut: [
          {
            file: 'src/worker/features/admin/list-memorials.ts',
            from: '      .limit(ADMIN_PAGE)\n',
            to: '      .limit(1000)\n',
          },
        ],
      },
      {
        test: `${DEEDS} › M18: a deed that is refused leaves no line in the log, whatever refused it`,
        takenOut: [
          {
            file: 'src/worker/http/route.ts',
            from: '    if (error instanceof AppError && error.status < 500) for (const undo of takeBack) await undo()\n',
            to: '',
          },
        ],
      },
      {
        test: `${DEEDS} › M18: nothing that an admin did is missing in the log, whatever call failed after it was done`,
        takenOut: [
          {
            file: 'src/worker/http/route.ts',
            from: 'if (error instanceof AppError && error.status < 500) for',
            to: 'for',
          },
        ],
      },
      {
        test: `${DEEDS} › M18: an admin’s deed is recorded as what it was, however the address was written, by HEAD too`,
        takenOut: [
          {
            file: 'src/worker/features/admin/deeds.ts',
            from: 'const known = DEEDS.get(endpoint)',
            to: "const known = DEEDS.get([...DEEDS.keys()].find(({ path }) => path === endpoint.path && endpoint.method !== 'GET') ?? api.updateMemorial)",
          },
        ],
      },
      {
        test: `${DEEDS} › M18: what an admin reads of a memorial that is not public is in the log, once an hour; a public one is not`,
        takenOut: [
          { file: ACCESS_FOR, from: "    if (action === 'view') noteVisit(ctx, input, found)\n", to: '' },
        ],
      },
      {
        test: `${DEEDS} › M18: what an admin reads of a memorial that is not public is in the log, once an hour; a public one is not`,
        takenOut: [
          {
            file: 'src/worker/features/plaque/plaque.routes.ts',
            from: '  noteVisit(ctx, input, found)\n',
            to: '',
          },
        ],
      },
      {
        test: "src/worker/features/admin/list-audit.test.ts › an admin's work in a memorial by the ordinary calls is in the log each time, and its owner sees it",
        takenOut: [
          {
            file: ACCESS_FOR,
            from: "    if (action === 'edit' || action === 'restore') noteAdmin(ctx, input, found)\n",
            to: '',
          },
        ],
      },
    ],
  },
]
