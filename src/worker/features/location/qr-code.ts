import QRCode from 'qrcode-svg'

/** ISO/IEC 18004 requires four white modules on every side; without them readers do not find the code. */
const QUIET_ZONE = 4
/** An engraver can cut modules of one millimetre, and a phone can read them from an arm's length. */
const MODULE_MM = 1
const SIZE_MIN_MM = 40

/**
 * Returns a QR code as an SVG document, and its side in millimetres. Error correction level H tolerates the loss of up to
 * 30 % to weathering. Black on white, one path, no script or style.
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
