/** The dark modules of a QR code as the `d` of an SVG path, one unit each, `margin` units from the edges. */
export function qrPath(modules: readonly (readonly boolean[])[], margin: number): string {
  return modules
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x + margin} ${y + margin}h1v1h-1z`] : [])))
    .join('')
}
