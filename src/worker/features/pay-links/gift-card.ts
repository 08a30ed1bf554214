import { LINK_CARD } from '#shared/limits.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import type { GiftLetter } from '#shared/payments/pay-links.ts'
import { ACCENT, cardText, INK, LOGO, MUTED, onPaper } from '#worker/features/previews/card-svg.ts'
import { fitText, writableName } from '#worker/features/previews/card-text.ts'
import { transformImage } from '#worker/features/media/variants.ts'
import type { Ctx } from '#worker/platform/ctx.ts'

const LINE_HEIGHT = 1.15
const NAMES = {
  steps: [
    { size: 64, lines: 1 },
    { size: 52, lines: 2 },
  ],
  smallest: 40,
} as const
const QUALITY = 85

/** The letter of a gift as a picture for chats: who gives it, to whom, and its code. */
export function giftCardSvg({ fromName, recipientName, code }: GiftLetter, host: string): string {
  const middle = LINK_CARD.width / 2
  const centred = (text: string, y: number, size: number, fill: string, weight: 400 | 600 = 400) =>
    cardText(text, { x: middle, y, size, fill, weight, anchor: 'middle' })
  const giver = writableName(fromName)
  const recipient = recipientName === null ? null : writableName(recipientName)
  const title = recipient === null ? 'A gift for you' : `A gift for ${recipient}`
  const { lines, size } = fitText(title, LINK_CARD.width - 160, NAMES)
  const top = 236 - ((lines.length - 1) * size * LINE_HEIGHT) / 2
  return onPaper(
    [
      `<path fill="${ACCENT}" fill-rule="evenodd" transform="translate(${middle - 32} 72) scale(2)" d="${LOGO}"/>`,
      ...lines.map((line, index) => centred(line, top + index * size * LINE_HEIGHT, size, INK, 600)),
      centred('A memorial to make for somebody you miss', 318, 36, INK),
      ...(giver === null ? [] : [centred(`From ${giver}`, 368, 32, MUTED)]),
      centred(code ?? '', 458, 60, ACCENT, 600),
      centred(`Open it at ${host}/redeem`, 516, 34, INK),
      centred(SITE_NAME, 576, 26, MUTED),
    ].join('\n'),
  )
}

/** The same as JPEG. */
export async function giftCard(ctx: Ctx, letter: GiftLetter): Promise<Response> {
  // Loaded only here, because the renderer is large and rarely needed.
  const { renderSvg } = await import('#worker/features/previews/render-svg.ts')
  const png = await renderSvg(giftCardSvg(letter, new URL(ctx.env.PUBLIC_ORIGIN).host))
  const { bytes } = await transformImage(ctx, new Blob([png]).stream(), {
    width: LINK_CARD.width,
    format: 'image/jpeg',
    quality: QUALITY,
  })
  return new Response(bytes, {
    headers: { 'Content-Type': 'image/jpeg', 'Cache-Control': 'private, no-store' },
  })
}
