import sharp, { type AvifOptions, type Sharp } from 'sharp'

/** 0 to 9; sharp's default is 4. */
const EFFORT = 2

const encode: Sharp['avif'] = sharp.prototype.avif
/**
 * Importing this module makes Miniflare, which plays Cloudflare Images with sharp, encode AVIF in a tenth of the time: for the three
 * widths of one photo 2 s instead of 22 s on a slow machine, in files 1 to 4 % larger.
 */
sharp.prototype.avif = function (this: Sharp, options?: AvifOptions) {
  return encode.call(this, { effort: EFFORT, ...options })
}
