import { Buffer } from 'node:buffer'
import type { MediaType } from '#shared/media/media-types.ts'

/** A file that must be refused; its name says what it is. */
type HostileFile = { name: string; bytes: Uint8Array<ArrayBuffer> }

const TAKEN_AS: Record<string, MediaType> = {
  jpeg: 'IMAGE',
  png: 'IMAGE',
  webp: 'IMAGE',
  mp4: 'VIDEO',
  mov: 'VIDEO',
  webm: 'VIDEO',
  avi: 'VIDEO',
}
const SCRIPT = '<script>alert(document.domain)</script>'

function of(...parts: (string | number[] | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
    ),
  )
}

/** Executables, archives, links and other files that are none of the nine accepted types. */
export function foreignFiles(): HostileFile[] {
  const texts: Record<string, string> = {
    'vector.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`,
    'declared.svg': `<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`,
    'entities.svg': '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><svg>&b;</svg>',
    'page.html': `<!doctype html>${SCRIPT}`,
    'blank-first.html': `\n\n\t ${SCRIPT}`,
    'marked.html': `\xef\xbb\xbf<html>${SCRIPT}`,
    'comment.html': `<!--${'x'.repeat(600)}-->${SCRIPT}`,
    'page.xhtml': `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${SCRIPT}</html>`,
    'feed.xml': '<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><rss/>',
    'script.js': 'fetch("/api/dashboard").then(console.log)',
    'module.mjs': 'export default alert(1)',
    'data.json': '{"a":1}',
    'style.css': 'body{background:url(//evil.example)}',
    'shell.sh': '#!/bin/sh\nrm -rf /',
    'shell.php': '<?php system($_GET["c"]); ?>',
    'page.jsp': '<%@ page import="java.io.*" %>',
    'list.m3u8': '#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nfile:///etc/passwd\n#EXT-X-ENDLIST',
    'concat.txt': 'ffconcat version 1.0\nfile /etc/passwd',
    'list.asx': '<asx version="3.0"><entry><ref href="file:///etc/passwd"/></entry></asx>',
    'virus.com': String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*`,
    'card.vcf': 'BEGIN:VCARD\r\nVERSION:3.0\r\nEND:VCARD',
    'page.mhtml': 'MIME-Version: 1.0\r\nContent-Type: multipart/related',
    'paper.ps': '%!PS-Adobe-3.0\n(%pipe%id) (r) file',
    'paper.rtf': String.raw`{\rtf1\ansi{\object\objocx}}`,
    'paper.pdf': '%PDF-1.4\n/OpenAction << /S /JavaScript /JS (app.alert(1)) >>',
    'later.pdf': '\n%PDF-1.4\n1 0 obj',
    'macro.xpm': '/* XPM */ static char *x[] = {"1 1 1 1"};',
    'exploit.mvg': "push graphic-context\nimage over 0,0 0,0 'ephemeral:/etc/passwd'\npop graphic-context",
    'exploit.msl': '<?xml version="1.0"?><image><read filename="/etc/passwd"/></image>',
  }
  const binaries: Record<string, Uint8Array<ArrayBuffer>> = {
    'paper.docx': of('PK\x03\x04', new Uint8Array(60)),
    'empty.zip': of('PK\x05\x06', new Uint8Array(18)),
    'vector.svgz': of([0x1f, 0x8b, 8, 0], new Uint8Array(60)),
    'archive.bz2': of('BZh91AY&SY', new Uint8Array(60)),
    'archive.7z': of([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], new Uint8Array(60)),
    'archive.rar': of('Rar!\x1a\x07\x01\x00', new Uint8Array(60)),
    'archive.tar': of('photo.jpg', new Uint8Array(248), 'ustar\x0000', new Uint8Array(248)),
    'program.exe': of('MZ\x90\x00', new Uint8Array(60)),
    'program.elf': of('\x7fELF\x02\x01\x01', new Uint8Array(60)),
    'program.macho': of([0xcf, 0xfa, 0xed, 0xfe], new Uint8Array(60)),
    'program.class': of([0xca, 0xfe, 0xba, 0xbe], new Uint8Array(60)),
    'program.wasm': of('\x00asm\x01\x00\x00\x00'),
    'film.swf': of('CWS\x0a', new Uint8Array(60)),
    'link.lnk': of([0x4c, 0, 0, 0, 1, 0x14, 2, 0], new Uint8Array(60)),
    'book.sqlite': of('SQLite format 3\x00', new Uint8Array(84)),
    'paper.doc': of([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], new Uint8Array(60)),
    'moving.gif': of('GIF89a', [1, 0, 1, 0, 0, 0, 0, 0x3b]),
    'script.gif': of('GIF89a/*', new Uint8Array(20), '*/=1;alert(1);'),
    'old.gif': of('GIF87a', SCRIPT),
    'picture.bmp': of('BM', new Uint8Array(60)),
    'little.tiff': of('II*\x00', new Uint8Array(60)),
    'big.tiff': of('MM\x00*', new Uint8Array(60)),
    'picture.psd': of('8BPS\x00\x01', new Uint8Array(60)),
    'picture.ico': of([0, 0, 1, 0, 1, 0], new Uint8Array(60)),
    'picture.jp2': of([0, 0, 0, 12], 'jP  \r\n\x87\n', new Uint8Array(60)),
    'picture.jxl': of([0xff, 0x0a], new Uint8Array(60)),
    'picture.heic': of([0, 0, 0, 24], 'ftypheic\x00\x00\x00\x00mif1heic', new Uint8Array(60)),
    'picture.avif': of([0, 0, 0, 24], 'ftypavif\x00\x00\x00\x00mif1avif', new Uint8Array(60)),
    'sound.flac': of('fLaC\x00\x00\x00\x22', new Uint8Array(60)),
    'sound.mid': of('MThd\x00\x00\x00\x06', new Uint8Array(60)),
    'sound.amr': of('#!AMR\n', new Uint8Array(60)),
    'sound.aiff': of('FORM\x00\x00\x00\x40AIFF', new Uint8Array(60)),
    'film.mkv': of([0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x88], 'matroska', new Uint8Array(60)),
    'film.flv': of('FLV\x01\x05', new Uint8Array(60)),
    'film.wmv': of([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11], new Uint8Array(60)),
    'film.mpg': of([0, 0, 1, 0xba], new Uint8Array(60)),
    'film.ts': of([0x47, 0x40, 0, 0x10], new Uint8Array(184), [0x47]),
    'film.theora.ogv': of('OggS\x00\x02', new Uint8Array(20), '\x01\x1e\x80theora', new Uint8Array(40)),
    'riff.ani': of('RIFF\x40\x00\x00\x00ACON', new Uint8Array(60)),
    'nothing.bin': new Uint8Array(300),
    'noise.bin': Uint8Array.from({ length: 300 }, (_, at) => (at * 73 + 11) % 251),
    'one-byte': of([0xff]),
  }
  return [
    ...Object.entries(texts).map(([name, text]) => ({ name, bytes: of(text) })),
    ...Object.entries(binaries).map(([name, bytes]) => ({ name, bytes })),
  ]
}

/** Files that start like an accepted `type` but are something else, or nothing. */
export function falseBeginnings(): (HostileFile & { type: MediaType })[] {
  const prefixes: Record<string, Uint8Array<ArrayBuffer>> = {
    jpeg: of([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF\x00'),
    png: of('\x89PNG\r\n\x1a\n'),
    webp: of('RIFF\xff\xff\x00\x00WEBPVP8 '),
    mp4: of([0, 0, 0, 24], 'ftypisom\x00\x00\x02\x00isommp42'),
    mov: of([0, 0, 0, 20], 'ftypqt  \x00\x00\x02\x00qt  '),
    webm: of([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84], 'webm'),
    avi: of('RIFF\xff\xff\x00\x00AVI LIST'),
    mp3: of('ID3\x04\x00\x00\x00\x00\x00\x00'),
    m4a: of([0, 0, 0, 24], 'ftypM4A \x00\x00\x02\x00isommp42'),
    ogg: of('OggS\x00\x02', new Uint8Array(20), '\x01\x13OpusHead'),
    wav: of('RIFF\xff\xff\x00\x00WAVE'),
  }
  const endings: Record<string, string> = {
    'and no more': '',
    'then a page': `<!doctype html><html>${SCRIPT}</html>`,
    'then a play list': '#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n',
    'then zeros': '\0'.repeat(4000),
  }
  return Object.entries(prefixes).flatMap(([format, head]) =>
    Object.entries(endings).map(([name, ending]) => ({
      name: `${format} ${name}`,
      bytes: of(head, ending),
      type: TAKEN_AS[format] ?? 'AUDIO',
    })),
  )
}

/** Images that claim to be huge, or unpack into huge ones. */
export async function oversizedImages(): Promise<HostileFile[]> {
  const sides: [number, number][] = [
    [12_001, 1],
    [1, 12_001],
    [10_001, 10_000],
    [65_535, 65_535],
    [0x7fffffff, 0x7fffffff],
    [0, 100],
  ]
  const bomb = await deflated(new Uint8Array(32 * 1024 * 1024))
  return [
    ...sides.map(([width, height]) => ({ name: `PNG of ${width} x ${height}`, bytes: png(width, height) })),
    ...sides.slice(0, 4).map(([width, height]) => ({
      name: `JPEG of ${width} x ${height}`,
      bytes: of(
        [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3],
        [1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xda, 0, 2],
        new Uint8Array(200),
      ),
    })),
    {
      name: 'WebP of 16,384 x 16,384',
      bytes: of(
        'RIFF\x20\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00',
        [0x10, 0, 0, 0, 0xff, 0x3f, 0, 0xff, 0x3f, 0],
      ),
    },
    { name: 'PNG with 32 MB of packed text', bytes: png(10, 10, [['zTXt', of('Comment\x00\x00', bomb)]]) },
    { name: 'PNG with 32 MB of packed colours', bytes: png(10, 10, [['iCCP', of('icc\x00\x00', bomb)]]) },
  ]
}

/** A PNG with these chunks and no pixels of its own. */
function png(width: number, height: number, chunks: [string, Uint8Array][] = []): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  const chunk = ([type, data]: [string, Uint8Array]) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.byteLength)
    const body = of(type, data)
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(body))
    return of(length, body, sum)
  }
  const all: [string, Uint8Array][] = [['IHDR', header], ...chunks, ['IEND', new Uint8Array()]]
  return of('\x89PNG\r\n\x1a\n', ...all.map(chunk))
}

/** The checksum of a PNG chunk (ISO/IEC 15948, annex D). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}
