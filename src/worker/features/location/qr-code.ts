import QRCode from 'qrcode-svg'

/** ISO/IEC 18004: four modules of white on every side, or readers do not find the code. */
const QUIET_ZONE = 4
/** One millimetre a module is what an engraver can cut and a phone can read from an arm's length. */
const MODULE_MM = 1
const SIZE_MIN_MM = 40

/**
 * A QR code as a whole SVG document in millimetres, with its side. Error correction H: up to 30 % of it may be weathered
 * away. Black on white, one path, no script, no style.
 */
export function qrSvg(content: string): { svg: string; sizeMm: number } {
  const { modules } = new QRCode({ content, ecl: 'H', padding: QUIET_ZONE }).qrcode
  const side = modules.length + 2 * QUIET_ZONE
  const sizeMm = Math.max(SIZE_MIN_MM, side * MODULE_MM)
  const path = modules
    .flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`] : [])),
    )
    .join('')
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${sizeMm}mm" height="${sizeMm}mm" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<rect width="${side}" height="${side}" fill="#fff"/><path d="${path}" fill="#000"/></svg>\n`
  return { svg, sizeMm }
}
