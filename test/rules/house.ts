import type { Rule } from './rule.ts'

export const rules: Rule[] = [
  {
    id: 'H1',
    threat: 'A page of ours is shown empty, and is taken for one',
    rule: "The app's document is read whole before it is answered, and asked for again when it is not",
    proofs: [
      {
        test: 'test/worker/api.test.ts › a page whose document did not come whole is asked for again, and never answered empty',
        takenOut: [
          {
            file: 'src/worker/public-pages.ts',
            from: "if (html.trimEnd().endsWith('</html>')) return withHead",
            to: 'return withHead',
          },
        ],
      },
    ],
  },
]
