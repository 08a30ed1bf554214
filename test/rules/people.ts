import type { Rule } from './rule.ts'

const SESSIONS = 'src/worker/features/invites/contributor-sessions.ts'
const LINKS = 'test/worker/people-links.test.ts'
const GUESTBOOK = 'test/worker/people-guestbook.test.ts'
const BROWSER = 'e2e/privacy-of-people.spec.ts'

/** Invitations, contributors, the guestbook, and what is told of people to others. */
export const rules: Rule[] = [
  {
    id: 'M7',
    threat: 'The preview of a link tells whom it is about, or uses the invitation up',
    rule: 'A page that is not public is the same for everybody, `noindex`, and looking at it writes nothing and sets no cookie',
    proofs: [
      {
        test: `${LINKS} › M7: the page of an invitation, or of a memorial that is not public, tells nothing to a preview`,
        takenOut: [
          { file: 'src/worker/http/headers.ts', from: "  setDefault('X-Robots-Tag', 'noindex')\n", to: '' },
        ],
      },
      {
        test: `${LINKS} › M7: looking at an invitation makes no session, no contributor, and counts nobody`,
        takenOut: [
          {
            file: 'src/worker/features/invites/invites.routes.ts',
            from: 'async ({ invite }) => ({ memorial: invite.memorial }),',
            to: "async ({ ctx, invite, headers }) => {\n      const made = await createContributorSession(ctx, invite, { displayName: 'Guest Visitor' })\n      setContributorCookie(headers, ctx.request, made.memorialId, made.authToken)\n      return { memorial: invite.memorial }\n    },",
          },
        ],
      },
    ],
  },
  {
    id: 'M10',
    threat: 'Invitations are tried out in numbers, or an answer tells that a link once was right',
    rule: 'Links are 122 bits from crypto, one a memorial; 60 openings an address a minute, counted before the look-up; unknown and revoked are one answer',
    deviation:
      'Tokens stand in D1 as they are (docs/decisions/0008): the spec wants the owner to see the link again, a pool of UUIDs and the same link for ever. What a copy of the database gives besides what it holds already is to look at INVITE memorials until their links are changed.',
    proofs: [
      {
        test: `${LINKS} › M10: who tries many links is stopped, does not learn of a right one then, and others still come in`,
        takenOut: [
          {
            file: 'src/worker/features/invites/invites.routes.ts',
            from: "{ limit: limitByIp('LIMIT_INVITE'), invite: liveInvite }",
            to: '{ invite: liveInvite }',
          },
        ],
      },
      {
        test: `${LINKS} › M10: wrong invitations shown to a memorial are counted; a page of pictures with a right one is not`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/memorial-access.ts',
            from: '    if (presented.inviteToken !== null) await limitWrongInvites(ctx)\n',
            to: '',
          },
        ],
      },
      {
        test: `${LINKS} › M10: an unknown link and a revoked one are answered alike, to the letter`,
        takenOut: [
          {
            file: 'src/worker/features/invites/invite-links.ts',
            from: "    .where(and(eq(inviteTokens.token, token), eq(inviteTokens.status, 'ASSIGNED'), isThere()))",
            to: '    .where(and(eq(inviteTokens.token, token), isThere()))',
          },
        ],
      },
      {
        test: 'src/worker/features/invites/invites.test.ts › the invitation link is a UUIDv4, the same each time, and twenty at once get the same one',
        takenOut: [
          {
            file: 'src/worker/features/invites/invite-links.ts',
            from: "\n        and not exists (select 1 from ${inviteTokens} where memorial_id = ${memorialId} and status = 'ASSIGNED')",
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'M11',
    threat: 'Somebody who was uninvited goes on reading and writing',
    rule: 'A new link ends the old one and every session made by it; D1 decides, so also where KV is a minute behind',
    proofs: [
      {
        test: `${LINKS} › M11: a new link ends every session of the old one at once, also where KV is a minute behind`,
        takenOut: [
          {
            file: SESSIONS,
            from: "        eq(inviteTokens.status, 'ASSIGNED'),\n        gt(",
            to: '        gt(',
          },
        ],
      },
    ],
  },
  {
    id: 'M13',
    threat: 'A link in an address reaches other hosts by Referer, or whoever looks over a shoulder',
    rule: '`no-referrer` wherever an address holds a token; the token leaves the address once it is exchanged or of no use',
    proofs: [
      {
        test: `${LINKS} › M13: wherever an address holds a token, nothing of it travels on in a Referer`,
        takenOut: [
          { file: 'src/worker/http/headers.ts', from: '(?:invite|verify-email|', to: '(?:verify-email|' },
        ],
      },
      {
        test: `${BROWSER} › M13, V1: an invitation is told to nobody: not in a Referer, not to another host, not in the address bar or behind Back`,
        takenOut: [
          { file: 'src/client/pages/memorial.tsx', from: "        after.delete('invite')\n", to: '' },
        ],
      },
    ],
  },
  {
    id: 'C1',
    threat: 'A contributor token is used for another memorial or an account, or taken by a script',
    rule: 'It is bound to contributor, memorial and link, comes by cookie, header or body, and the app keeps it in an HttpOnly cookie alone',
    proofs: [
      {
        test: `${GUESTBOOK} › C1: a contributor token opens nothing but its own memorial, and no account`,
        takenOut: [{ file: SESSIONS, from: '        eq(contributors.memorialId, memorialId),\n', to: '' }],
      },
      {
        test: `${GUESTBOOK} › C1: a contributor token opens nothing but its own memorial, and no account`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/memorial-access.ts',
            from: "typeof bodyToken === 'string' && bodyToken !== '' ? bodyToken : null",
            to: "typeof bodyToken === 'string' && bodyToken !== '' ? bodyToken : (query['contributorToken'] ?? null)",
          },
        ],
      },
      {
        test: 'src/client/features/invites/contributor-session.test.ts › C1: the token of a session is kept nowhere that a script could read, and a guest is known by the name',
        takenOut: [
          {
            file: 'src/client/features/invites/contributor-session.ts',
            from: 'JSON.stringify(kept))',
            to: 'JSON.stringify(session))',
          },
        ],
      },
      {
        test: `${BROWSER} › C1: no script can read the token of a session, and the session works all the same`,
        takenOut: [{ file: 'src/worker/http/cookies.ts', from: '      httpOnly: true,\n', to: '' }],
      },
    ],
  },
  {
    id: 'C2',
    threat: 'A message is deleted by somebody who did not write it',
    rule: 'The cookie says who deletes; a contributor their own, while the session lives. After it: 403 by invitation, 401 in public',
    proofs: [
      {
        test: `${GUESTBOOK} › C2: by cookie alone a contributor deletes their own message, nobody else’s, and none after the session’s end`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/access.ts',
            from: 'addedBy !== null && addedBy === viewer.contributor?.id',
            to: 'addedBy !== null',
          },
        ],
      },
      {
        test: `${GUESTBOOK} › C2: by cookie alone a contributor deletes their own message, nobody else’s, and none after the session’s end`,
        takenOut: [{ file: SESSIONS, from: '        gt(contributors.expiresAt, ctx.now()),\n', to: '' }],
      },
    ],
  },
  {
    id: 'C9',
    threat: 'A guestbook is filled with rubbish',
    rule: '10 messages a minute and 200 a day a contributor, 1,000 a day a link, in words that say what to do; the owner is never shut out',
    proofs: [
      {
        test: `${GUESTBOOK} › C9: after two hundred messages a day a contributor rests, and hears why; the others write on`,
        takenOut: [
          {
            file: 'src/worker/features/comments/post-comment.ts',
            from: "  await requireThrottle(ctx, 'commentsADay', authorId, messages.comment.dayFull)\n",
            to: '',
          },
        ],
      },
      {
        test: `${GUESTBOOK} › C9: a guestbook takes a thousand messages a day by one link; its owner always writes, and a new link opens it`,
        takenOut: [
          {
            file: 'src/worker/features/comments/post-comment.ts',
            from: "  await requireThrottle(ctx, 'guestbookADay', link, messages.comment.guestbookFull)\n",
            to: '',
          },
        ],
      },
      {
        test: 'src/worker/features/comments/comments.test.ts › a contributor writes ten messages a minute and no more',
        takenOut: [
          {
            file: 'src/worker/features/comments/post-comment.ts',
            from: "  await requireThrottle(ctx, 'comments', authorId)\n",
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'C10',
    threat:
      'Messages tell who a person is elsewhere: by their address, or an id that is the same in other memorials',
    rule: 'Readers are given names, and ids that stand for people in this memorial alone; an e-mail address is in no answer',
    proofs: [
      {
        test: `${GUESTBOOK} › C10, V2: whoever reads a memorial is told names and words, and no id, address, token or file name of another`,
        takenOut: [
          {
            file: 'src/worker/features/memorials/memorial-access.ts',
            from: "access.canEdit ? userId : standInId('user', userId, memorial.id)",
            to: 'access.canEdit ? userId : memorial.id && userId',
          },
        ],
      },
      {
        test: `${GUESTBOOK} › C10, V2: whoever reads a memorial is told names and words, and no id, address, token or file name of another`,
        takenOut: [
          { file: 'src/worker/platform/random.ts', from: '`${scope} ${id}`', to: '`${scope && id}`' },
        ],
      },
    ],
  },
  {
    id: 'C11',
    threat:
      'A key of a request that is sent twice brings somebody else’s answer, or loses a message with a false reason',
    rule: 'An Idempotency-Key is its author’s: the first answer again whatever the words, 404 where it made something else',
    proofs: [
      {
        test: `${GUESTBOOK} › C11: one person's key never gives another person's answer, and means one thing for ever`,
        takenOut: [
          {
            file: 'src/worker/features/comments/post-comment.ts',
            from: '    .where(and(eq(idempotencyKeys.actorId, author.id), eq(idempotencyKeys.key, key)))',
            to: '    .where(eq(idempotencyKeys.key, key))',
          },
        ],
      },
      {
        test: 'src/worker/features/comments/comments.test.ts › a message that waited is posted under the name it was written under, or not at all',
        takenOut: [
          {
            file: 'src/worker/features/comments/post-comment.ts',
            from: 'if (author && writtenBy !== null && author.id !== writtenBy)',
            to: 'if (author && writtenBy === null && author.id !== author.id)',
          },
        ],
      },
    ],
  },
  {
    id: 'C12',
    threat: 'Thanks are counted twice or never, by parallel calls or by giving a name',
    rule: 'One row a person and message; the number shown is counted from the rows in the same batch; a guest’s go over to the name once',
    proofs: [
      {
        test: `${GUESTBOOK} › C12: fifty thanks at once from each of two people are two, and what is counted is what is there`,
        takenOut: [
          {
            file: 'src/worker/features/comments/comments.ts',
            from: 'likeCount: sql`(select count(*) from ${commentLikes} where ${commentLikes.commentId} = ${commentId})`',
            to: 'likeCount: sql`${comments.likeCount} + ${isLiked ? 1 : -1}`',
          },
        ],
      },
      {
        test: `${GUESTBOOK} › C12: a guest who says a name five times at once leaves no guest behind, and thanks are neither lost nor doubled`,
        takenOut: [
          {
            file: 'src/worker/features/invites/invites.ts',
            from: '      .set({ likedBy: id })\n',
            to: "      .set({ likedBy: '' })\n",
          },
        ],
      },
    ],
  },
  {
    id: 'C13',
    threat: 'A made-up place in a list shows rows of another memorial',
    rule: 'A cursor only says after what; whose rows they are is in the same condition',
    proofs: [
      {
        test: `${GUESTBOOK} › C13: no cursor, however it was made, shows a row of another memorial`,
        takenOut: [
          {
            file: 'src/worker/features/comments/comments.ts',
            from: "and(eq(comments.memorialId, memorialId), followsCursor(comments, 'comment', cursor))",
            to: "followsCursor(comments, 'comment', cursor)",
          },
        ],
      },
    ],
  },
  {
    id: 'V1',
    threat: 'An invitation is written down where others read it: a log, another host, the history',
    rule: 'Errors are logged by their statement without what was in it; pictures and links of a session carry no invitation',
    proofs: [
      {
        test: `${LINKS} › V1: no line of the log holds a token, whatever goes wrong`,
        takenOut: [
          {
            file: 'src/worker/platform/log.ts',
            from: '  if (!(error instanceof DrizzleQueryError)) return full\n',
            to: '  if (full !== null) return full\n',
          },
        ],
      },
      {
        test: `${BROWSER} › M13, V1: an invitation is told to nobody: not in a Referer, not to another host, not in the address bar or behind Back`,
        takenOut: [
          {
            file: 'src/client/features/invites/use-contributor.tsx',
            from: 'invite: mayBegin && session === null ? token : undefined,',
            to: 'invite: token ?? undefined,',
          },
        ],
      },
    ],
  },
  {
    id: 'V2',
    threat:
      'Those who were invited learn of each other what nobody told them: addresses, ids, the names of files',
    rule: 'Each answer names its fields, as this viewer may know them',
    proofs: [
      {
        test: `${GUESTBOOK} › C10, V2: whoever reads a memorial is told names and words, and no id, address, token or file name of another`,
        takenOut: [
          {
            file: 'src/worker/features/media/media.ts',
            from: '  if (access.access.canEdit || isOwn) return row.originalFileName\n',
            to: '  if (access.access.canView || isOwn) return row.originalFileName\n',
          },
        ],
      },
      {
        test: `${GUESTBOOK} › C10, V2: whoever reads a memorial is told names and words, and no id, address, token or file name of another`,
        takenOut: [
          {
            file: 'src/worker/features/comments/comments.ts',
            from: '  if (id === null || access.canEdit || id === contributor?.id) return id\n',
            to: '  if (id === null || access.canView || id === contributor?.id) return id\n',
          },
        ],
      },
    ],
  },
  {
    id: 'V3',
    threat: 'What is private shows in a preview, a search or a cache',
    rule: 'Pages are made without knowing who asks, from the app’s document alone',
    proofs: [
      {
        test: `${LINKS} › M7: the page of an invitation, or of a memorial that is not public, tells nothing to a preview`,
        takenOut: [
          {
            file: 'src/worker/public-pages.ts',
            from: 'const page = new Response(await this.#shell(url), {',
            to: 'const page = new Response((await this.#shell(url)) + url.pathname, {',
          },
        ],
      },
    ],
  },
  {
    id: 'V4',
    threat: 'A shared or lost phone shows one person’s words, or acts as them, for the next',
    rule: 'Begun words belong to their writer; signing out ends contributor sessions and forgets words, uploads and invitations in every tab; an ended session takes its words and uploads along',
    proofs: [
      {
        test: 'src/client/lib/device.test.ts › V4: a message begun before this page was opened is shown to its writer alone',
        takenOut: [
          {
            file: 'src/client/lib/message-drafts.ts',
            from: '  return `${PREFIX}${writerId}:${memorialId}`',
            to: '  return `${PREFIX}${writerId && memorialId}`',
          },
        ],
      },
      {
        test: 'src/client/features/invites/contributor-session.test.ts › V4: another session on this device, or none, ends what was begun under the one before',
        takenOut: [
          {
            file: 'src/client/features/invites/contributor-session.ts',
            from: '  if (before) forgetMessageDraft(before.contributorId, memorialId)\n',
            to: '',
          },
        ],
      },
      {
        test: 'src/client/lib/device.test.ts › V4: an upload that was begun is gone on with by its sender alone, for a day',
        takenOut: [
          { file: 'src/client/lib/kept-uploads.ts', from: 'kept.personId === personId && ', to: '' },
        ],
      },
      {
        test: 'src/client/lib/device.test.ts › V4: signing out, or the end of a session, leaves nothing of what was being sent',
        takenOut: [
          {
            file: 'src/client/lib/device.ts',
            from: '  forgetRows()\n  forgetUploads()\n  forgetTexts',
            to: '  forgetRows()\n  forgetTexts',
          },
        ],
      },
      {
        test: 'src/client/lib/device.test.ts › V4: signing out stops what is being sent and shows nothing of it',
        takenOut: [
          {
            file: 'src/client/lib/device.ts',
            from: 'forgetMessageDrafts()\n  forgetRows()\n',
            to: 'forgetMessageDrafts()\n',
          },
        ],
      },
      {
        test: 'src/client/lib/kept-uploads.test.ts › V4: whoever signs out while a file is being kept leaves none',
        takenOut: [
          {
            file: 'src/client/lib/kept-uploads.ts',
            from: '    if (!amend(key, { ends })) return\n',
            to: '    amend(key, { ends })\n',
          },
          {
            file: 'src/client/lib/kept-uploads.ts',
            from: '    if (!amend(key, { hasFile: true })) await del(key, files)\n',
            to: '    amend(key, { hasFile: true })\n',
          },
        ],
      },
      {
        test: 'src/client/lib/device.test.ts › V4: a page that was open while somebody signed out elsewhere hides itself and begins anew',
        takenOut: [{ file: 'src/client/lib/device.ts', from: '    window.location.reload()\n', to: '' }],
      },
      {
        test: 'src/client/lib/device.test.ts › V4: a tab that is sending when somebody signs out in another stops, and keeps nothing of it again',
        takenOut: [{ file: 'src/client/lib/kept-uploads.ts', from: '  if (over.has(key)) return\n', to: '' }],
      },
      {
        test: `${LINKS} › V4: signing out ends the contributor sessions of this browser, also where KV is a minute behind`,
        takenOut: [{ file: SESSIONS, from: '        eq(contributors.tokenHash, tokenHash),\n', to: '' }],
      },
      {
        test: `${BROWSER} › V4: what one person has begun to write is not shown to the next, nor is anything after signing out`,
        takenOut: [
          {
            file: 'src/client/features/invites/use-contributor.tsx',
            from: "writerId: user?.id ?? contributorId ?? 'guest',",
            to: "writerId: user?.id ?? 'guest',",
          },
        ],
      },
      {
        test: `${BROWSER} › V4: after signing out no tab of this browser shows or keeps anything of the person`,
        takenOut: [{ file: 'src/client/pages/app-frame.tsx', from: '    forgetPerson()\n', to: '' }],
      },
      {
        test: 'src/client/lib/waiting-messages.test.ts › V4: whoever signs out takes what waits along, also while one of it is being sent',
        takenOut: [{ file: 'src/client/lib/waiting-messages.ts', from: '  void empty()\n', to: '' }],
      },
      {
        test: 'src/client/service-worker/kept.test.ts › V4: whoever signs out takes every memorial along; the app itself stays',
        takenOut: [
          {
            file: 'src/client/service-worker/kept.ts',
            from: 'if (name.startsWith(MEMORIAL_PREFIX)) await caches.delete(name)',
            to: 'if (name === MEMORIAL_PREFIX) await caches.delete(name)',
          },
        ],
      },
      {
        test: 'e2e/offline.spec.ts › V4: whoever signs out leaves no memorial in any cache, from whatever tab',
        takenOut: [
          {
            file: 'src/client/lib/device.ts',
            from: '  forgetKept()\n  forgetWaiting()\n  known',
            to: '  known',
          },
          // The other tab hears of it, and forgets for all.
          {
            file: 'src/client/lib/device.ts',
            from: '    forgetKept()\n    forgetWaiting()\n    window',
            to: '    window',
          },
        ],
      },
    ],
  },
  {
    id: 'V5',
    threat: 'A microphone listens although its person has gone, or any page may ask for it',
    rule: 'Whatever way the recorder is left, the microphone is given back; only documents of screens may ask for it',
    proofs: [
      {
        test: 'src/client/lib/record-voice.test.ts › V5: a microphone that is granted after its person has left is given back at once',
        takenOut: [
          {
            file: 'src/client/lib/record-voice.ts',
            from: '    signal.throwIfAborted()\n    return recordingOf',
            to: '    return recordingOf',
          },
        ],
      },
      {
        test: 'src/client/lib/record-voice.test.ts › V5: a microphone whose sound cannot be recorded is given back',
        takenOut: [
          {
            file: 'src/client/lib/record-voice.ts',
            from: '    release(stream)\n    throw error',
            to: '    throw error',
          },
        ],
      },
      {
        test: 'src/shared/pages.test.ts › V5: the microphone may be asked for on the screens of the app, and not where one pays or where there is no screen',
        takenOut: [
          {
            file: 'src/shared/pages.ts',
            from: 'return isAppPath(pathname) && !pathname.startsWith(paths.checkout)',
            to: 'return isAppPath(pathname)',
          },
        ],
      },
    ],
  },
]
