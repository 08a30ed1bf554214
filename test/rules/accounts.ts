import type { Rule } from './rule.ts'

const ACCOUNTS = 'src/worker/features/accounts'
const MAIL = 'src/worker/features/mail'

export const rules: Rule[] = [
  {
    id: 'A1',
    threat: 'Somebody registers an address with "admin" in it and opens the console',
    rule: 'Only the role column of a confirmed address admits, looked at by the server on every call',
    proofs: [
      {
        test: 'src/worker/features/admin/admin.test.ts › an address with "admin" in it opens nothing (A1)',
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: "isAdmin: row.role === 'ADMIN' && row.emailVerifiedAt !== null,",
            to: "isAdmin: row.role === 'ADMIN' || row.email.includes('admin'),",
          },
        ],
      },
      {
        test: 'src/worker/features/admin/admin.test.ts › the role admits, whatever the address, once the address is confirmed',
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: "row.role === 'ADMIN' && row.emailVerifiedAt !== null",
            to: "row.role === 'ADMIN'",
          },
        ],
      },
    ],
  },
  {
    id: 'A2',
    threat: 'Registration is sent a role, an id or "confirmed" of its own',
    rule: 'Each field that is written is named; keys that the schema does not know are dropped',
    proofs: [
      {
        test: `${ACCOUNTS}/register.test.ts › A1 A2: neither an address with "admin" in it nor extra keys give anything`,
        takenOut: [
          {
            file: 'src/shared/accounts.ts',
            from: 'export const registerInput = z.object({',
            to: 'export const registerInput = z.looseObject({',
          },
          {
            file: `${ACCOUNTS}/register.ts`,
            from: '        email: input.email,\n        ...person,',
            to: '        ...input,\n        ...person,',
          },
        ],
      },
    ],
  },
  {
    id: 'A3',
    threat: 'Somebody learns who has an account: by an answer, its time, or what it sets in motion',
    rule: 'Every address is answered alike after the same hash and the same statements; mail is looked up and sent afterwards',
    proofs: [
      {
        test: 'test/worker/enumeration.test.ts › A3: a wrong login does the same work, hash by hash and statement by statement, whoever has an account',
        takenOut: [
          {
            file: `${ACCOUNTS}/login.ts`,
            from: '  const { isRight, isOutdated } = await',
            to: "  if (!row) throw new AppError('invalid_credentials', messages.login.invalid)\n  const { isRight, isOutdated } = await",
          },
        ],
      },
      {
        test: 'test/worker/enumeration.test.ts › A3: registering does the same work for a new, a waiting and a confirmed address',
        takenOut: [
          {
            file: `${ACCOUNTS}/register.ts`,
            from: '  const mail = mailRow(',
            to: "  const [known] = await ctx.db.select().from(users).where(isHere)\n  if (known?.emailVerifiedAt) await countThrottle(ctx, 'mailsToMailbox', known.id)\n  const mail = mailRow(",
          },
        ],
      },
      {
        test: 'test/worker/enumeration.test.ts › A3: /api/auth/forgot-password answers before it knows whether there is an account, and sends no mail in the request',
        takenOut: [
          {
            file: 'src/worker/ctx.ts',
            from: '  ctx.waitUntil(logged())',
            to: '  return logged()',
          },
          {
            file: 'src/worker/ctx.ts',
            from: 'work: () => Promise<void>): void {',
            to: 'work: () => Promise<void>): Promise<void> {',
          },
          {
            file: `${ACCOUNTS}/accounts.routes.ts`,
            from: '    forgotPassword(ctx, body.email)',
            to: '    await forgotPassword(ctx, body.email)',
          },
          {
            file: `${ACCOUNTS}/reset-password.ts`,
            from: "  afterAnswer(ctx, 'forgot_password'",
            to: "  return afterAnswer(ctx, 'forgot_password'",
          },
        ],
      },
      {
        test: `${ACCOUNTS}/login.test.ts › A3: an unknown address and a wrong password are one answer`,
        takenOut: [
          {
            file: `${ACCOUNTS}/login.ts`,
            from: '  if (!row || !isRight) throw',
            to: "  if (!row) throw new AppError('not_found', messages.login.invalid)\n  if (!isRight) throw",
          },
        ],
      },
    ],
    deviation:
      'Server rules 2 answer a right password for an unconfirmed address by 403: who registers an address and then signs in with that password sees 403 where it was free and 401 where it was taken. Its owner gets a mail each time, at most 3 an hour.',
  },
  {
    id: 'A4',
    threat: "Somebody registers a stranger's address first, to share the account when its owner comes",
    rule: 'Registering anew replaces the waiting name and password and voids the older link; confirming ends every session; the mail says when the account was made',
    proofs: [
      {
        test: `${ACCOUNTS}/register.test.ts › A4: who registered a stranger's address first gains nothing once its owner registers`,
        takenOut: [
          {
            file: `${ACCOUNTS}/register.ts`,
            from: "    ...voidOpenLinks(ctx, idHere, 'VERIFY', isWaiting),",
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/register.test.ts › A4: who registered a stranger's address first gains nothing once its owner registers`,
        takenOut: [
          {
            file: `${ACCOUNTS}/register.ts`,
            from: '        ...person,\n        sessionEpoch',
            to: '        sessionEpoch',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/register.test.ts › A4: confirming an address ends every session that the account had`,
        takenOut: [
          {
            file: `${ACCOUNTS}/verify-email.ts`,
            from: 'emailVerifiedAt: at, sessionEpoch: sql`${users.sessionEpoch} + 1`,',
            to: 'emailVerifiedAt: at,',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/register.test.ts › A4: the mail says when the account was made, and not to open it if that was somebody else`,
        takenOut: [{ file: `${MAIL}/letters.ts`, from: ' on ${dateTime(madeAt)}. Open', to: '. Open' }],
      },
      {
        test: `${ACCOUNTS}/register.test.ts › registering again changes nothing where the mailbox has had its 3 mails of this hour`,
        takenOut: [
          {
            file: `${ACCOUNTS}/register.ts`,
            from: "  if ((await countThrottle(ctx, 'mailsToMailbox', input.email)) > 0) return",
            to: '',
          },
        ],
      },
    ],
    deviation:
      'A stranger who registers the address again after its owner did, before the owner opens a mail, has the newest link. Opening it makes the stranger’s password valid: the link must work on any device, so only its reader can tell. The mail names the time of that registration and says when not to open it; choosing a new password shuts the stranger out.',
  },
  {
    id: 'A5',
    threat: 'An account is used before its address is confirmed, or confirmed by the link of another',
    rule: 'No session before the address is confirmed; a link confirms the user that it was made for',
    proofs: [
      {
        test: `${ACCOUNTS}/register.test.ts › A5: before the address is confirmed the right password opens nothing, and a wrong one learns nothing`,
        takenOut: [
          {
            file: `${ACCOUNTS}/login.ts`,
            from: "  if (row.emailVerifiedAt === null) throw new AppError('email_unverified', messages.login.unverified)\n",
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/register.test.ts › A5: before the address is confirmed the right password opens nothing, and a wrong one learns nothing`,
        takenOut: [
          {
            file: `${ACCOUNTS}/verify-email.ts`,
            from: "and(eq(users.id, userOfOpenToken(ctx, token, 'VERIFY')), isNull(users.emailVerifiedAt))",
            to: "and(sql`${userOfOpenToken(ctx, token, 'VERIFY')} is not null`, isNull(users.emailVerifiedAt))",
          },
        ],
      },
    ],
  },
  {
    id: 'A6',
    threat: 'A mail scanner opens the link before its reader does, and spends it or is signed in',
    rule: 'HEAD changes nothing, the last link says success as often as it is opened, and none makes a session',
    proofs: [
      {
        test: `${ACCOUNTS}/verify-email.test.ts › A6: HEAD spends nothing, opening the link twice says success twice and signs nobody in`,
        takenOut: [
          {
            file: `${ACCOUNTS}/accounts.routes.ts`,
            from: "    if (ctx.request.method === 'HEAD') return new Response(null)\n",
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/verify-email.test.ts › A6: HEAD spends nothing, opening the link twice says success twice and signs nobody in`,
        takenOut: [
          {
            file: `${ACCOUNTS}/verify-email.ts`,
            from: '  if (known?.usedAt && known.emailVerifiedAt) return\n',
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'A7',
    threat: 'A reset link is used twice, by many at once, after a newer one, or too late',
    rule: 'One conditional batch decides who used a link; asking anew voids older ones; an hour; every session ends',
    proofs: [
      {
        test: `${ACCOUNTS}/reset-password.test.ts › A7: of 20 simultaneous uses of a link exactly one wins, and its password is the one that counts`,
        takenOut: [
          {
            file: `${ACCOUNTS}/account-tokens.ts`,
            from: '    isNull(accountTokens.usedAt),\n    gt(',
            to: '    gt(',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/reset-password.test.ts › A7: a link dies when used, when a newer one is asked for, and after an hour`,
        takenOut: [
          {
            file: `${ACCOUNTS}/reset-password.ts`,
            from: "...voidOpenLinks(ctx, user.id, 'RESET'), ctx.db.insert",
            to: 'ctx.db.insert',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/reset-password.test.ts › A7: a link dies when used, when a newer one is asked for, and after an hour`,
        takenOut: [
          {
            file: `${ACCOUNTS}/account-tokens.ts`,
            from: '    gt(accountTokens.expiresAt, ctx.now()),\n',
            to: '',
          },
          {
            file: `${ACCOUNTS}/reset-password.ts`,
            from: ' || row.expiresAt <= ctx.now()',
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/reset-password.test.ts › a reset sets the password, ends every session at once and mails a notice`,
        takenOut: [
          {
            file: `${ACCOUNTS}/reset-password.ts`,
            from: '        sessionEpoch: sql`${users.sessionEpoch} + 1`,\n',
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'A8',
    threat: 'An answer carries the token of a link, so that nobody needs the mailbox',
    rule: 'Tokens are made when the mail is sent; no answer can hold one, and only their SHA-256 is kept',
    proofs: [
      {
        test: 'test/worker/answers.test.ts › calls that only say something answer a message and never a token',
        takenOut: [
          {
            file: `${ACCOUNTS}/accounts.routes.ts`,
            from: '    return { message: messages.forgot.sent }',
            to: "    return { message: messages.forgot.sent, resetToken: 'x'.repeat(43) }",
          },
        ],
      },
      {
        test: `${ACCOUNTS}/verify-email.test.ts › only the SHA-256 of a token is kept`,
        takenOut: [
          {
            file: `${ACCOUNTS}/account-tokens.ts`,
            from: '    tokenHash: hashToken(token),\n    userId',
            to: '    tokenHash: token,\n    userId',
          },
        ],
      },
    ],
  },
  {
    id: 'A9',
    threat: 'A forged Host header makes the link in a mail lead to another site',
    rule: 'Links are made in the queue, where no request is, from PUBLIC_ORIGIN',
    proofs: [
      {
        test: `${ACCOUNTS}/account-mails.test.ts › A9: links in mails begin with our own address, whatever the request called us`,
        takenOut: [
          {
            file: `${MAIL}/compose.ts`,
            from: '${ctx.env.PUBLIC_ORIGIN}${path}',
            to: 'https://evil.example${path}',
          },
        ],
      },
    ],
  },
  {
    id: 'A10',
    threat: 'Passwords are guessed, from one address or from hundreds',
    rule: '10 failures an account in 15 minutes worldwide, counted before hashing; 30 logins and 5 mails a minute an address by CF-Connecting-IP alone, IPv6 by /64',
    proofs: [
      {
        test: 'test/worker/enumeration.test.ts › A10: of 200 wrong logins from 200 addresses 10 reach the hash, and 190 are told when to come again',
        takenOut: [
          {
            file: 'src/worker/platform/throttle.ts',
            from: '  refuseWhile(await throttle.hit(THROTTLE[name], at))\n',
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/guessing.test.ts › A10: after the wait the right password works, and until then the wait gets shorter`,
        takenOut: [
          {
            file: 'src/worker/platform/throttle.do.ts',
            from: "    sql.exec('DELETE FROM hits WHERE at <= ?', now - windowMs)\n",
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/guessing.test.ts › A10: failures of one account stop nobody else, and a success from elsewhere forgives none`,
        takenOut: [
          {
            file: 'src/worker/platform/throttle.do.ts',
            from: 'WHERE rowid = (SELECT rowid FROM hits WHERE at = ? LIMIT 1)',
            to: 'WHERE at <= ?',
          },
        ],
      },
      {
        test: 'test/worker/rate-limits.test.ts › A10: register counts by CF-Connecting-IP alone, and beyond its limit does nothing but say when to come again',
        takenOut: [
          {
            file: 'src/worker/api.ts',
            from: "request.headers.get('CF-Connecting-IP') ?? 'unknown'",
            to: "request.headers.get('X-Forwarded-For') ?? 'unknown'",
          },
        ],
      },
      {
        test: 'test/worker/rate-limits.test.ts › A10: resetPassword counts by CF-Connecting-IP alone, and beyond its limit does nothing but say when to come again',
        takenOut: [
          {
            file: `${ACCOUNTS}/accounts.routes.ts`,
            from: 'route(app, api.resetPassword, { limit: limitLogins }',
            to: 'route(app, api.resetPassword, {}',
          },
        ],
      },
      {
        test: 'test/worker/rate-limits.test.ts › A10: the numbers are 30 logins and 5 mails a minute, and other headers change nothing about them',
        takenOut: [
          {
            file: 'wrangler.toml',
            from: 'namespace_id = "1001"\nsimple = { limit = 30,',
            to: 'namespace_id = "1001"\nsimple = { limit = 31,',
          },
        ],
      },
      {
        test: 'test/worker/rate-limits.test.ts › A10: an IPv6 address counts as its /64, however it is written',
        takenOut: [{ file: 'src/worker/http/guards.ts', from: '.slice(0, 4)', to: '' }],
      },
    ],
  },
  {
    id: 'A11',
    threat: 'The cost of a password hash is used to exhaust the Worker',
    rule: 'Limits, lengths and links are looked at before any hash; parameters in a row are bounded',
    proofs: [
      {
        test: 'test/worker/enumeration.test.ts › A11: what is too long, too much or too often is refused before any hash is computed',
        takenOut: [
          {
            file: 'src/shared/accounts.ts',
            from: 'z.refine<string>((value) => codePoints(value) <= PASSWORD_MAX,',
            to: 'z.refine<string>((value) => codePoints(value) >= 0 * PASSWORD_MAX,',
          },
        ],
      },
      {
        test: 'test/worker/enumeration.test.ts › A11: what is too long, too much or too often is refused before any hash is computed',
        takenOut: [
          {
            file: `${ACCOUNTS}/reset-password.ts`,
            from: '  if (!row || row.usedAt',
            to: '  await hashPassword(ctx, password)\n  if (!row || row.usedAt',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/passwords.test.ts › A11: parameters in a row beyond our bounds are never computed, and no password fits them`,
        takenOut: [
          {
            file: `${ACCOUNTS}/passwords.ts`,
            from: '  if (!isBounded) return null\n',
            to: '  void isBounded\n',
          },
        ],
      },
    ],
  },
  {
    id: 'A12',
    threat: 'A password is easy to guess, or is not kept as it was typed',
    rule: 'No common password, not our name, not the own address; every byte counts; scrypt with a salt and a pepper whose id is kept, made anew when the cost changes',
    proofs: [
      {
        test: `${ACCOUNTS}/passwords.test.ts › A12: of the common passwords the first, the last and ten between are refused in any case of letters`,
        takenOut: [{ file: `${ACCOUNTS}/passwords.ts`, from: '    common.has(lower) ||\n', to: '' }],
      },
      {
        test: `${ACCOUNTS}/passwords.test.ts › A12: our own name with a few digits (nhakanhaka) is as good as none`,
        takenOut: [
          {
            file: `${ACCOUNTS}/passwords.ts`,
            from: "    OUR_WORDS.test(lower.replaceAll(/[^\\p{L}]+/gu, '')) ||\n",
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/passwords.test.ts › A12: nobody takes their own address for a password, at no call that sets one`,
        takenOut: [
          {
            file: `${ACCOUNTS}/passwords.ts`,
            from: "    lower === email.slice(0, email.indexOf('@'))",
            to: '    false',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/passwords.test.ts › A12: every character of 64 counts, pictures, spaces and the case of letters among them`,
        takenOut: [
          {
            file: 'src/worker/platform/scrypt.ts',
            from: 'scrypt(password, salt',
            to: "scrypt(password.normalize('NFD'), salt",
          },
        ],
      },
      {
        test: `${ACCOUNTS}/passwords.test.ts › A12: a hash made with another pepper fits no password, and the log names its id`,
        takenOut: [
          {
            file: `${ACCOUNTS}/passwords.ts`,
            from: 'return Buffer.from(hmac(sha256, utf8ToBytes(pepper), key))',
            to: 'return Buffer.from(hmac(sha256, utf8ToBytes(pepper.slice(0, 0)), key))',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/reset-password.test.ts › a stored hash with an older cost is made anew at login; one that asks too much is never computed`,
        takenOut: [
          {
            file: `${ACCOUNTS}/login.ts`,
            from: '  if (isOutdated) {',
            to: '  if (!isRight && isOutdated) {',
          },
        ],
      },
      {
        test: 'test/worker/secrets.test.ts › without PASSWORD_PEPPER nobody registers or signs in, and the log says why',
        takenOut: [
          {
            file: `${ACCOUNTS}/passwords.ts`,
            from: '  if (pepper) return pepper\n',
            to: '  if (pepper !== undefined) return pepper\n',
          },
        ],
      },
    ],
  },
  {
    id: 'A13',
    threat: 'A session id is chosen by somebody else, or a session lives for ever',
    rule: 'Login always makes a new id; 30 days unused or 90 days old is over, by the times written in it; renewed once a day',
    proofs: [
      {
        test: `${ACCOUNTS}/login.test.ts › A13 A16: login never adopts a session id, and the cookie has every flag`,
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: '  const token = newToken()\n',
            to: '  const token = ownCookie(request, readCookies(request), COOKIE) ?? newToken()\n',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/sessions.test.ts › A13: a session unused for 30 days, or 90 days old, is over, whatever KV still holds`,
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: ' || now >= renewedAt + SESSION_EXPIRES_MS',
            to: ' || !renewedAt',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/sessions.test.ts › A13: a session in use is renewed once a day, and never beyond its 90th day`,
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: '{ ...session, renewedAt: ctx.now() }',
            to: '{ ...session, createdAt: ctx.now(), renewedAt: ctx.now() }',
          },
        ],
      },
    ],
  },
  {
    id: 'A14',
    threat: 'A session goes on after logout, or is made from what the stores hold',
    rule: 'Logout is written down in D1, which decides; stores hold only the SHA-256 of a session id',
    proofs: [
      {
        test: `${ACCOUNTS}/login.test.ts › A14: a replayed cookie is dead after logout, and other devices stay signed in`,
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: '            .where(eq(endedSessions.sessionHash, hashToken(token))),',
            to: "            .where(eq(endedSessions.sessionHash, '')),",
          },
        ],
      },
      {
        test: `${ACCOUNTS}/sessions.test.ts › A14: who can read KV and D1 cannot sign in with what stands there`,
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: '  return `session:${hashToken(token)}`',
            to: '  return `session:${token}`',
          },
        ],
      },
    ],
  },
  {
    id: 'A15',
    threat: 'A forged or foreign token passes for the assertion of Cloudflare Access',
    rule: 'RS256 by the team’s own key set, our audience and issuer, an end; sessions of our own are no JWTs',
    proofs: [
      ...['issuer', 'audience'].map((claim) => ({
        test: 'src/worker/features/admin/cloudflare-access.test.ts › A15: every assertion but the right one is refused, whatever it says of its own key and algorithm',
        takenOut: [
          { file: 'src/worker/features/admin/cloudflare-access.ts', from: `      ${claim},\n`, to: '' },
        ],
      })),
      {
        test: 'src/worker/features/admin/cloudflare-access.test.ts › A15: every assertion but the right one is refused, whatever it says of its own key and algorithm',
        takenOut: [
          {
            file: 'src/worker/features/admin/cloudflare-access.ts',
            from: "      requiredClaims: ['exp'],\n",
            to: '',
          },
        ],
      },
      {
        test: 'src/worker/features/admin/cloudflare-access.test.ts › A15: every assertion but the right one is refused, whatever it says of its own key and algorithm',
        takenOut: [
          {
            file: 'src/worker/features/admin/cloudflare-access.ts',
            from: 'await jwtVerify(assertion, keySetOf(issuer), {',
            to: "const { decodeJwt } = await import('jose')\n    const { iss, aud, exp } = decodeJwt(assertion)\n    if (iss !== issuer || aud !== audience || !exp || exp * 1000 < ctx.now()) throw new Error('refused')\n    if (exp > 0) return\n    await jwtVerify(assertion, keySetOf(issuer), {",
          },
        ],
      },
      {
        test: 'src/worker/features/admin/cloudflare-access.test.ts › A15: where the key set cannot be reached, nobody passes',
        takenOut: [
          {
            file: 'src/worker/features/admin/cloudflare-access.ts',
            from: "    throw new AppError('forbidden', messages.system.forbidden)\n  }\n}",
            to: '  }\n}',
          },
        ],
      },
    ],
  },
  {
    id: 'A16',
    threat: 'A script, a neighbouring host or plain http gets at a cookie of ours',
    rule: 'Every cookie is __Host-, HttpOnly, Secure, SameSite=Lax, Path=/ and made in one place',
    proofs: [
      ...['httpOnly: true', "sameSite: 'Lax'", "path: '/'"].map((flag) => ({
        test: 'test/worker/cookies.test.ts › A16: every cookie that any call sets has every flag, and no call sets another',
        takenOut: [{ file: 'src/worker/http/cookies.ts', from: `      ${flag},\n`, to: '' }],
      })),
      {
        test: 'test/worker/cookies.test.ts › A16: a cookie without its prefix, as a neighbouring host could set it, is no session',
        takenOut: [
          {
            file: 'src/worker/http/cookies.ts',
            from: 'secure ? `__Host-${name}` : name',
            to: 'secure ? name : name',
          },
        ],
      },
    ],
  },
  {
    id: 'A17',
    threat: "Another website makes a visitor's browser write",
    rule: 'Every call but GET needs our Origin, or Sec-Fetch-Site same-origin, or no cookie and neither; no CORS headers',
    proofs: [
      {
        test: 'e2e/cross-site.spec.ts › A17: a page of another origin that the owner visits can write nothing in her name',
        takenOut: [
          {
            file: 'src/worker/api.ts',
            from: 'requireSameOrigin(request, env.PUBLIC_ORIGIN)',
            to: 'requireSameOrigin(new Request(request.url), env.PUBLIC_ORIGIN)',
          },
        ],
      },
      {
        test: 'src/worker/features/media/tus.test.ts › a method that a network lets not through is named in a header, and stands for the real one everywhere',
        takenOut: [
          {
            file: 'src/worker/api.ts',
            from: 'requireSameOrigin(request, env.PUBLIC_ORIGIN)',
            to: 'requireSameOrigin(received, env.PUBLIC_ORIGIN)',
          },
        ],
      },
      {
        test: 'test/worker/cross-site.test.ts › A17: our host on another port cannot write by any call, and the database is not even asked',
        takenOut: [
          {
            file: 'src/worker/http/origin.ts',
            from: 'if (origin === publicOrigin ||',
            to: 'if (origin.startsWith(publicOrigin) ||',
          },
        ],
      },
      {
        test: 'test/worker/cross-site.test.ts › A17: a neighbour without an origin cannot write by any call, and the database is not even asked',
        takenOut: [
          {
            file: 'src/worker/http/origin.ts',
            from: "if (site === 'same-origin' ||",
            to: "if (site.startsWith('same-') ||",
          },
        ],
      },
      {
        test: 'test/worker/cross-site.test.ts › A17: an old browser that says nothing cannot write by any call, and the database is not even asked',
        takenOut: [
          {
            file: 'src/worker/http/origin.ts',
            from: "} else if (!request.headers.has('Cookie')) {",
            to: '} else {',
          },
        ],
      },
    ],
  },
  {
    id: 'A18',
    threat: 'One mailbox becomes two accounts, or an address that looks like another is taken for it',
    rule: 'Trimmed, ASCII letters lower-cased, unique; whatever is not ASCII is refused and no letter is mapped to another',
    proofs: [
      {
        test: `${ACCOUNTS}/addresses.test.ts › A18: an address that only looks like another is refused, never taken for it`,
        takenOut: [
          {
            file: 'src/shared/text.ts',
            from: '.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase()),',
            to: '.toLowerCase(),',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/addresses.test.ts › A18: one address in any case of letters, with spaces around it, is one account`,
        takenOut: [
          {
            file: 'src/shared/text.ts',
            from: '.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase()),',
            to: ',',
          },
          {
            file: 'src/shared/text.ts',
            from: '{|}~.-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/u',
            to: '{|}~.-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/iu',
          },
        ],
      },
    ],
  },
  {
    id: 'W5',
    threat: 'A link to our login leads to another site afterwards',
    rule: 'One function decides where login and registration go on to, by the parsed address; nothing else goes where an address says',
    proofs: [
      {
        test: 'src/client/features/accounts/next-path.test.ts › W5: an address that could leave the site (https://evil.example) becomes the dashboard',
        takenOut: [
          {
            file: 'src/client/features/accounts/next-path.ts',
            from: "origin === HERE && !pathname.startsWith('//') ?",
            to: "!pathname.startsWith('//') ?",
          },
          {
            file: 'src/client/features/accounts/next-path.ts',
            from: "!next.startsWith('/') || ",
            to: '',
          },
        ],
      },
      {
        test: 'src/client/features/accounts/next-path.test.ts › W5: whatever is accepted stays on this site in every reading of it',
        takenOut: [
          {
            file: 'src/client/features/accounts/next-path.ts',
            from: "origin === HERE && !pathname.startsWith('//') ?",
            to: 'origin === HERE ?',
          },
        ],
      },
    ],
  },
  {
    id: 'W7',
    threat: 'What somebody typed adds a header, a recipient, a tag or a link to a mail',
    rule: 'Structured fields, one recipient, a subject of one line, every text escaped; a mail to a stranger repeats nothing typed',
    proofs: [
      {
        test: `${MAIL}/injection.test.ts › W7: no text in any field of any letter becomes a tag or an attribute`,
        takenOut: [{ file: `${MAIL}/letter.ts`, from: "    .replaceAll('<', '&lt;')\n", to: '' }],
      },
      {
        test: `${MAIL}/injection.test.ts › W7: no text in any field of any letter becomes a tag or an attribute`,
        takenOut: [{ file: `${MAIL}/letter.ts`, from: "    .replaceAll('\"', '&quot;')\n", to: '' }],
      },
      {
        test: `${MAIL}/injection.test.ts › W7: whatever a row holds, its mail has one recipient, our headers and a subject of one line`,
        takenOut: [
          {
            file: 'src/worker/platform/mail.ts',
            from: 'subject: oneLine(mail.subject),',
            to: 'subject: mail.subject,',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/addresses.test.ts › W7: 🕊@family.test is no address`,
        takenOut: [
          {
            file: 'src/shared/text.ts',
            from: "/^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+@",
            to: '/^[^\\s@<>(),;:\\\\"[\\]\\u0080-\\uffff]+@',
          },
        ],
      },
      {
        test: 'src/worker/features/contact/contact.test.ts › W7: nothing that a person types adds a header or a recipient',
        takenOut: [
          {
            file: 'src/shared/text.ts',
            from: 'z.refine((value) => !control.test(value),',
            to: 'z.refine((value) => control.test(value) || true,',
          },
        ],
      },
    ],
  },
  {
    id: 'W8',
    threat: 'Our mails are used to flood a mailbox, or to keep its owner from getting one',
    rule: '3 mails an hour to one mailbox over all calls, decided in one Durable Object; only mails that go out count; nothing is ever sent to the sender of the contact form',
    proofs: [
      {
        test: `${MAIL}/bombing.test.ts › W8: 24 calls at once send at most 3 mails an hour to a confirmed address`,
        takenOut: [
          {
            file: `${ACCOUNTS}/reset-password.ts`,
            from: "if (!user || (await countThrottle(ctx, 'mailsToMailbox', email)) > 0) return",
            to: 'if (!user) return',
          },
        ],
      },
      {
        test: `${MAIL}/bombing.test.ts › W8: of 12 messages at once in the name of one sender 3 are kept, and the sender is never written to`,
        takenOut: [
          {
            file: 'src/worker/features/contact/contact.ts',
            from: "  await requireThrottle(ctx, 'mailsToMailbox', `contact:${input.email}`)\n",
            to: '',
          },
        ],
      },
      {
        test: `${MAIL}/bombing.test.ts › W8: messages of the contact form do not use up the mails of the mailbox they name`,
        takenOut: [
          {
            file: 'src/worker/features/contact/contact.ts',
            from: '`contact:${input.email}`',
            to: 'input.email',
          },
        ],
      },
      {
        test: `${MAIL}/bombing.test.ts › W8: asking for mails to an address without an account does not keep its owner from registering`,
        takenOut: [
          {
            file: `${ACCOUNTS}/reset-password.ts`,
            from: "if (!user || (await countThrottle(ctx, 'mailsToMailbox', email)) > 0) return",
            to: "if ((await countThrottle(ctx, 'mailsToMailbox', email)) > 0 || !user) return",
          },
        ],
      },
    ],
  },
  {
    id: 'F12',
    threat: 'KV serves a session for a minute after it ended',
    rule: 'D1 decides on every call: epoch, ended sessions, suspension, deletion; who shows anything is answered from its primary and no replica',
    proofs: [
      {
        test: `${ACCOUNTS}/sessions.test.ts › F12: where KV is a minute late, a session that ended is over all the same`,
        takenOut: [
          {
            file: `${ACCOUNTS}/sessions.ts`,
            from: '        eq(users.sessionEpoch, session.epoch),\n',
            to: '',
          },
        ],
      },
      {
        test: `${ACCOUNTS}/sessions.test.ts › F12: where KV is a minute late, a session that ended is over all the same`,
        takenOut: [{ file: `${ACCOUNTS}/sessions.ts`, from: '        isNull(users.suspendedAt),\n', to: '' }],
      },
      {
        test: 'test/worker/first-read.test.ts › F12: who shows nothing and only looks is answered from near by; who shows anything, or writes, from the primary',
        takenOut: [
          {
            file: 'src/worker/http/first-read.ts',
            from: "    searchParams.has('invite') ||\n",
            to: '    searchParams.has(pathname) ||\n',
          },
        ],
      },
      {
        test: 'test/worker/first-read.test.ts › F12: no call whose address holds a secret, or that writes, is answered from near by',
        takenOut: [
          {
            file: 'src/worker/http/first-read.ts',
            from: 'LOOKS.has(request.method) && PUBLIC_LOOKS.test(pathname)',
            to: 'LOOKS.has(request.method)',
          },
        ],
      },
    ],
  },
]
