import type { Rule } from './rule.ts'

const HEADERS = 'src/worker/http/headers.ts'
const INDEX = 'src/worker/index.ts'
const STATUS = 'test/worker/every-status.test.ts'
const ADDRESSES = 'test/worker/hostile-addresses.test.ts'
const BUILT = 'e2e/built-worker.spec.ts'
const ROUTES = 'test/worker/route-table.test.ts'
const SEARCH = 'test/worker/search-engines.test.ts'
/** A key in the shape of a real one, in two pieces so that this file holds none. */
const MADE_UP_KEY = ['sk', 'live', 'aB3dE6gH9jK2'.repeat(2)].join('_')

/** What every answer says to the browser, what refusals tell, what is not there. */
export const rules: Rule[] = [
  {
    id: 'W3',
    threat: 'An answer of some kind leaves out a header, and is framed, sniffed, kept by a cache or listed',
    rule: 'One function puts every header on whatever leaves the Worker, of every status; files that skip it have them in `_headers`; every call has a row in a table of who may do what',
    proofs: [
      {
        test: `${STATUS} › W3 W10: calls of every status, from 200 to 503, state every header, and refuse in one form with nothing of the inside`,
        takenOut: [{ file: HEADERS, from: "  setDefault('X-Content-Type-Options', 'nosniff')\n", to: '' }],
      },
      {
        test: `${STATUS} › W3 M5: a picture of a memorial that is LOCKED states every header, in part, known, beyond its end and broken too`,
        takenOut: [
          {
            file: 'src/worker/features/media/serve-media.ts',
            from: "    headers.set('Cache-Control', 'private, no-store')\n",
            to: '',
          },
        ],
      },
      {
        test: `${STATUS} › W3: pages, known and unknown, state every header`,
        takenOut: [{ file: HEADERS, from: `    "base-uri 'none'",\n`, to: '' }],
      },
      {
        test: `${STATUS} › W3: only pages with the card form let the script of the payment provider in`,
        takenOut: [{ file: HEADERS, from: 'const pays = hasCardForm(url.pathname) &&', to: 'const pays =' }],
      },
      {
        test: `${STATUS} › W3: an address with a token in it is told to nobody by the page that it opens`,
        takenOut: [
          {
            file: HEADERS,
            from: "TOKEN_PATHS.test(url.pathname) || url.searchParams.has('invite')",
            to: 'TOKEN_PATHS.test(url.pathname)',
          },
        ],
      },
      {
        test: `${STATUS} › W3: the way to https states every header too`,
        takenOut: [
          {
            file: 'src/worker/http/page-request.ts',
            from: '  const answer = new Response(null, { status: 308, headers: { Location: url.href } })\n  return withSecurityHeaders(answer, request, env)\n',
            to: '  return new Response(null, { status: 308, headers: { Location: url.href } })\n',
          },
        ],
      },
      {
        test: 'test/worker/open-table.test.ts › W3 W10: who may do what with calls that name no memorial, and how they are answered',
        takenOut: [{ file: HEADERS, from: "  setDefault('Cache-Control', 'private, no-store')\n", to: '' }],
      },
      {
        test: `${ROUTES} › every call stands in one of the two tables that say who may do what`,
        takenOut: [
          {
            file: 'src/shared/api.ts',
            from: "  config: endpoint('GET', '/api/config')",
            to: "  extra: endpoint('GET', '/api/extra')<never>(),\n  config: endpoint('GET', '/api/config')",
          },
        ],
      },
      {
        test: `${BUILT} › W3: every static file states every header, though it does not pass the Worker`,
        takenOut: [
          {
            file: 'public/_headers',
            from: 'immutable\n  X-Content-Type-Options: nosniff\n',
            to: 'immutable\n',
          },
        ],
      },
      {
        test: `${BUILT} › W3 W4: a file of another deployment is a 404 that no browser keeps, and no other file is given away`,
        takenOut: [
          {
            file: 'wrangler.toml',
            from: 'run_worker_first = ["/index.html", "/memorial.html", "/home.html"]',
            to: 'run_worker_first = ["/*", "!/assets/*"]',
          },
        ],
      },
    ],
  },
  {
    id: 'W4',
    threat: 'Any address answers 200, so that scanners, robots and people take what is not there for a page',
    rule: 'The Worker knows the screens of the app; every other address is the same page with 404, and under /api and /media a refusal in JSON',
    proofs: [
      {
        test: `${ADDRESSES} › W4 W16: what scanners ask for is the page that says 404, and no file of ours`,
        takenOut: [
          {
            file: 'src/worker/public-pages.ts',
            from: 'status: isAppPath(url.pathname) ? 200 : 404,',
            to: 'status: 200,',
          },
        ],
      },
      {
        test: `${ADDRESSES} › W4 W16: a call that there is none of is a 404 in the form of every refusal`,
        takenOut: [
          {
            file: INDEX,
            from: "pathname.startsWith('/api/') || pathname === '/api' || pathname.startsWith('/media/')",
            to: "pathname.startsWith('/api/c')",
          },
        ],
      },
      {
        test: `${ADDRESSES} › W4: every screen of the app is a 200, with whatever stands for its ids, and nothing else is`,
        takenOut: [{ file: 'src/shared/pages.ts', from: "'[^/]+'", to: "'.+'" }],
      },
    ],
  },
  {
    id: 'W9',
    threat: 'Another site shows ours in a frame and has people click what they do not see',
    rule: 'No document of ours may be framed, by anybody',
    proofs: [
      {
        test: `${BUILT} › W9: a page of another site cannot show ours in a frame`,
        takenOut: [{ file: HEADERS, from: `    "frame-ancestors 'none'",\n`, to: '' }],
      },
    ],
  },
  {
    id: 'W10',
    threat:
      'A refusal or a log line tells of the inside: SQL, a stack, a path, a token, or what people typed',
    rule: 'Refusals have one exit and one form, and what nobody foresaw is one sentence with a number to ask about; logs hold names of events and no values',
    proofs: [
      {
        test: `${STATUS} › W3 W10: calls of every status, from 200 to 503, state every header, and refuse in one form with nothing of the inside`,
        takenOut: [
          {
            file: 'src/worker/http/errors.ts',
            from: '{ message: messages.system.internal, code',
            to: '{ message: String(error), code',
          },
        ],
      },
      {
        test: `${STATUS} › W3 W10: a page whose document cannot be had is a 500 in plain words with all headers, and the log says why`,
        takenOut: [
          {
            file: 'src/worker/http/page-request.ts',
            from: '${messages.system.pageFailed}',
            to: '${String(error)}',
          },
        ],
      },
      {
        test: 'test/worker/hostile-json-1.test.ts › W11: no shape of JSON breaks a call or sets what is not for it to set (part 1 of 9)',
        takenOut: [
          {
            file: 'src/worker/http/validate.ts',
            from: 'z.safeParse(schema, value, { error: () => messages.form.checkFields })',
            to: 'z.safeParse(schema, value)',
          },
        ],
      },
      {
        test: 'test/worker/log-privacy.test.ts › W10: no log line of a whole journey, failures included, holds what people typed, showed or received',
        takenOut: [
          {
            file: 'src/worker/platform/log.ts',
            from: '  if (!(error instanceof DrizzleQueryError)) return full\n  return full.replace(error.message, () => `Failed query: ${error.query}`)',
            to: '  return full',
          },
        ],
      },
    ],
  },
  {
    id: 'W11',
    threat:
      'A body of another shape than ours passes a check, pollutes a prototype or brings the Worker down',
    rule: 'A body is read up to its limit, must say that it is JSON and be it, in UTF-8; schemas take text for text and drop keys that they do not know',
    proofs: [
      {
        test: 'test/worker/hostile-json-2.test.ts › W11: no shape of JSON breaks a call or sets what is not for it to set (part 2 of 9)',
        takenOut: [{ file: 'src/worker/http/json-body.ts', from: 'fatal: true', to: 'fatal: false' }],
      },
      {
        test: 'test/worker/hostile-json-3.test.ts › W11: no shape of JSON breaks a call or sets what is not for it to set (part 3 of 9)',
        takenOut: [
          {
            file: 'src/worker/http/json-body.ts',
            from: String.raw`/^application\/json\s*(?:;|$)/iu`,
            to: String.raw`/^(?:application|text)\//iu`,
          },
        ],
      },
      {
        test: 'test/worker/hostile-json.test.ts › W11: every call that takes a body is attacked with hostile ones, in number',
        takenOut: [
          {
            file: 'src/shared/api.ts',
            from: "  config: endpoint('GET', '/api/config')",
            to: "  extra: endpoint('POST', '/api/extra', { body: emailInput })<never>(),\n  config: endpoint('GET', '/api/config')",
          },
        ],
      },
    ],
  },
  {
    id: 'W14',
    threat:
      'A search engine lists a memorial, a photograph or an invitation that its owner never meant for it',
    rule: '`noindex` on everything but pages about the service, and public memorials whose owner allowed it; robots stay out of calls and photographs',
    proofs: [
      {
        test: `${SEARCH} › W14: of all screens, calls and files only the pages about the service may be listed`,
        takenOut: [{ file: HEADERS, from: "  setDefault('X-Robots-Tag', 'noindex')\n", to: '' }],
      },
      {
        test: `${SEARCH} › search engines are kept out of a public memorial until its owner lets them in, and only while it is public`,
        takenOut: [
          {
            file: 'src/worker/pages/memorial-page.ts',
            from: 'if (drawn.isListed) answer',
            to: 'answer',
          },
        ],
      },
      {
        test: 'test/worker/well-known.test.ts › W14: robots stay out of our calls and photographs, but for what a public memorial is drawn from',
        takenOut: [
          {
            file: 'src/worker/http/well-known.ts',
            from: String.raw`Disallow: /media/\n`,
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'W16',
    threat: 'A scanner finds a method, a path or a call that does something nobody meant it to do',
    rule: 'What is mounted is the contract and nothing besides; pages are looked at, and every other method is 405',
    proofs: [
      {
        test: `${ROUTES} › W16: what the Worker answers under /api and /media is the contract, each call once and nothing besides`,
        takenOut: [
          {
            file: 'src/worker/features/config/config.routes.ts',
            from: 'export function configRoutes(app: App): void {\n',
            to: "export function configRoutes(app: App): void {\n  app.get('/api/debug', (c) => c.text('x'))\n",
          },
        ],
      },
      {
        test: `${ADDRESSES} › W16: no method but those of the contract does anything, on pages or on calls`,
        takenOut: [{ file: INDEX, from: 'refusePageMethod(request, env) ?? ', to: '' }],
      },
    ],
  },
  {
    id: 'W17',
    threat: 'A route for development, seeding or tests is left in what is deployed',
    rule: 'Stand-ins and seeds are programs of their own; the Worker has no route, no mode and no word of them',
    proofs: [
      {
        test: `${BUILT} › W17: nothing of tests, seeds or the sandbox is in the built Worker, and it runs no job that it is asked for`,
        takenOut: [
          {
            file: INDEX,
            from: '    const { pathname } = new URL(request.url)\n',
            to: "    const { pathname } = new URL(request.url)\n    if (pathname === '/api/' + 'seed') return new Response('ran')\n",
          },
        ],
      },
    ],
  },
  {
    id: 'W18',
    threat:
      'A secret stands in the repository, in the settings that are deployed in the open, or in the bundle',
    rule: 'Secrets are set by `wrangler secret put` alone; every kept file and everything that is built is searched for their shapes',
    proofs: [
      {
        test: 'test/no-secrets.test.ts › W18: no file that is kept holds a secret',
        takenOut: [{ file: 'sandbox/dev.vars', from: 'sk_test_sandbox', to: MADE_UP_KEY }],
      },
      {
        test: 'test/no-secrets.test.ts › W18: the settings that are deployed in the open are addresses, and secrets have no place among them',
        takenOut: [{ file: 'wrangler.toml', from: '[vars]\n', to: '[vars]\nSTRIPE_SECRET_KEY = "x"\n' }],
      },
      {
        test: `${BUILT} › W18: what is deployed holds no secret and no source map`,
        takenOut: [
          {
            file: INDEX,
            from: 'export default {\n',
            to: `Reflect.set(globalThis, 'key', '${MADE_UP_KEY}')\nexport default {\n`,
          },
        ],
      },
    ],
  },
]
