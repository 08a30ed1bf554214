import type { Rule } from './rule.ts'

const MEDIA = 'src/worker/features/media'
const SNIFF = 'src/shared/sniff.ts'
const HOSTILE = `${MEDIA}/hostile-files.test.ts`
const UNTRUE = `${MEDIA}/untrue-files.test.ts`

export const rules: Rule[] = [
  {
    id: 'U1',
    threat:
      'A page, script or program is stored under a name and type of its sender’s choice, and served from our address',
    rule: 'The leading bytes alone decide what a file is, out of a closed table; nothing else is taken',
    proofs: [
      {
        test: `${HOSTILE} › U1: none of 70 foreign files is taken as IMAGE, and none leaves anything`,
        takenOut: [
          {
            file: SNIFF,
            from: 'const mimeType = sniffMimeType(head)',
            to: "const mimeType = sniffMimeType(head) ?? 'image/jpeg'",
          },
        ],
      },
      {
        test: `${MEDIA}/serve-media.test.ts › a film is served whole with everything a player needs and nothing a script could use`,
        takenOut: [
          {
            file: `${MEDIA}/serve-media.ts`,
            from: "'Content-Type': object.httpMetadata?.contentType ?? 'application/octet-stream',",
            to: "'Content-Type': 'text/html',",
          },
        ],
      },
    ],
  },
  {
    id: 'U2',
    threat: 'An SVG, which is a page with pictures, is taken for a picture',
    rule: 'SVG, HTML, XML and every other text are refused by their first bytes, whatever they are called',
    proofs: [
      {
        test: `${HOSTILE} › U1: none of 70 foreign files is taken as IMAGE, and none leaves anything`,
        takenOut: [
          {
            file: SNIFF,
            from: "if (text(0, 8) === '\\x89PNG\\r\\n\\x1a\\n') return 'image/png'",
            to: "if (text(0, 8) === '\\x89PNG\\r\\n\\x1a\\n' || text(0, 4) === '<svg') return 'image/png'",
          },
        ],
      },
    ],
  },
  {
    id: 'U3',
    threat: 'A file that is a recording and a script at once runs as a script or page of ours',
    rule: 'Stored files are served with their type from the table, nosniff and a sandbox of their own; photographs are made anew',
    proofs: [
      {
        test: 'e2e/stored-files.spec.ts › U3: what somebody uploaded never runs: not as a script of ours, not as a page, not as a programme',
        takenOut: [
          {
            file: `${MEDIA}/serve-media.ts`,
            from: `    'Content-Security-Policy': "sandbox; default-src 'none'",\n`,
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'U4',
    threat: 'A small file unpacks into a picture that fills all memory',
    rule: 'At most 12,000 pixels a side and 100 megapixels, read from the header before anything is decoded',
    proofs: [
      {
        test: `${HOSTILE} › U4: a picture that claims or unpacks too many pixels is refused with words, and leaves nothing`,
        takenOut: [
          {
            file: `${MEDIA}/variants.ts`,
            from: 'if (!stored) throw damaged()',
            to: 'if (!stored) return { width: 1, height: 1 }',
          },
        ],
      },
      {
        test: `${MEDIA}/upload.test.ts › pixel-bomb.png declared as IMAGE is refused with 400 and leaves nothing`,
        takenOut: [
          {
            file: `${MEDIA}/variants.ts`,
            from: 'Math.max(stored.width, stored.height) > IMAGE_MAX_SIDE_PX ||',
            to: '',
          },
          {
            file: `${MEDIA}/variants.ts`,
            from: 'stored.width * stored.height > IMAGE_MAX_PIXELS',
            to: 'false',
          },
        ],
      },
    ],
  },
  {
    id: 'U5',
    threat: 'A broken file becomes a broken picture in a family’s gallery',
    rule: 'A picture is shown only after its two first sizes were really made; a film or recording after its length was read',
    proofs: [
      {
        test: `${HOSTILE} › U5: what only begins as one of our types is refused as damaged or foreign, and leaves nothing`,
        takenOut: [
          {
            file: `${MEDIA}/duration.ts`,
            from: "throw new AppError('bad_input', messages.media.damaged)",
            to: 'return { durationSec: 1, width: null, height: null, hasVideo: true }',
          },
        ],
      },
      {
        test: `${MEDIA}/upload.test.ts › photo-truncated.jpg declared as IMAGE is refused with 400 and leaves nothing`,
        takenOut: [
          {
            file: `${MEDIA}/inspect.ts`,
            from: 'const size = await makeFirstVariants(ctx, draft.objectKey)',
            to: 'const size = await makeFirstVariants(ctx, draft.objectKey).catch(() => ({ width: 1, height: 1 }))',
          },
        ],
      },
      {
        test: `${UNTRUE} › U5: a file cut off anywhere is taken or refused with words, and only what is taken is kept and counted`,
        takenOut: [
          {
            file: `${MEDIA}/upload.ts`,
            from: 'if (draft.reserved) await abandonFile(ctx, draft)\n    throw',
            to: 'throw',
          },
        ],
      },
    ],
  },
  {
    id: 'U6',
    threat: 'A photograph or film tells strangers where a family lives',
    rule: 'Visitors get copies of photographs that hold pixels and colours alone; films and recordings of every type lose what stands beside picture and sound while they stream in',
    proofs: [
      {
        test: `${MEDIA}/upload.test.ts › what visitors are served of a photo holds no place, camera or owner, and stands upright`,
        takenOut: [
          {
            file: `${MEDIA}/serve-media.ts`,
            from: 'if (asked === null) return LARGEST',
            to: 'if (asked === null) return null',
          },
        ],
      },
      {
        test: `${MEDIA}/serve-media.test.ts › nobody gets the place and the camera out of video-2s.mov`,
        takenOut: [
          {
            file: `${MEDIA}/receive-file.ts`,
            from: 'withoutTags(atMost(bytes, max), sniffed.mimeType)',
            to: 'atMost(bytes, max)',
          },
        ],
      },
      {
        test: `${MEDIA}/without-tags.test.ts › U6: nobody gets the tags of audio-2s.wav, and it plays as before`,
        takenOut: [{ file: `${MEDIA}/without-riff-tags.ts`, from: '!KEPT[level].has(name)', to: 'false' }],
      },
      {
        test: `${MEDIA}/without-tags.test.ts › U6: nobody gets the tags of video-2s.avi, and it plays as before`,
        takenOut: [{ file: `${MEDIA}/without-riff-tags.ts`, from: '!KEPT[level].has(name)', to: 'false' }],
      },
      {
        test: `${MEDIA}/without-tags.test.ts › U6: nobody gets the tags of audio-2s.mp3, and it plays as before`,
        takenOut: [
          {
            file: `${MEDIA}/without-mpeg-tags.ts`,
            from: 'withoutEndTags(withoutId3(bytes))',
            to: 'withoutEndTags(bytes)',
          },
        ],
      },
      {
        test: `${MEDIA}/without-tags.test.ts › U6: nobody gets the tags of audio-2s.mp3, and it plays as before`,
        takenOut: [
          {
            file: `${MEDIA}/without-mpeg-tags.ts`,
            from: 'withoutEndTags(withoutId3(bytes))',
            to: 'withoutId3(bytes)',
          },
        ],
      },
      {
        test: `${MEDIA}/without-tags.test.ts › U6: nobody gets the tags of voice-note-2s.ogg, and it plays as before`,
        takenOut: [
          {
            file: `${MEDIA}/without-ogg-tags.ts`,
            from: 'if (stream.packet === 1)',
            to: 'if (stream.packet > 1)',
          },
        ],
      },
      {
        test: `${MEDIA}/without-tags.test.ts › U6: nobody gets the tags of video-2s.webm, and it plays as before`,
        takenOut: [
          {
            file: `${MEDIA}/without-webm-tags.ts`,
            from: "    other: 'blank',\n    [SEEK_HEAD]",
            to: "    other: 'keep',\n    [SEEK_HEAD]",
          },
        ],
      },
      {
        test: `${MEDIA}/without-tags.test.ts › U6: boxes of a phone’s maker beside those of the film are blanked`,
        takenOut: [
          {
            file: `${MEDIA}/without-place.ts`,
            from: "other: 'blank',\n    moov",
            to: "other: 'keep',\n    moov",
          },
        ],
      },
    ],
  },
  {
    id: 'U7',
    threat: 'A file name adds a header, leaves its folder, or tells when and where a photograph was taken',
    rule: 'Files lie under random names; the sender’s is cleaned, quoted in ASCII and UTF-8, and shown to nobody else in public',
    proofs: [
      {
        test: 'src/worker/platform/file-names.test.ts › a name goes into the header once in ASCII and once in UTF-8, whatever it holds',
        takenOut: [
          {
            file: 'src/worker/platform/file-names.ts',
            from: 'encodeURIComponent',
            to: 'String',
          },
        ],
      },
      {
        test: `${MEDIA}/public-media.test.ts › what a cache may keep names no file as its sender did, not even to the owner`,
        takenOut: [
          {
            file: `${MEDIA}/serve-media.ts`,
            from: 'isPublicAnswer(found, query) ? publicFileName(row) : fileNameFor(row, found)',
            to: 'fileNameFor(row, found)',
          },
        ],
      },
    ],
  },
  {
    id: 'U8',
    threat: 'Large, endless or silent uploads fill memory, storage or connections',
    rule: 'Bytes are counted as they come and cut off at the limit of who sends what; unknown senders’ files are held within one small room; a silent sender is given up',
    proofs: [
      {
        test: `${MEDIA}/sending.test.ts › sizes are limited by who sends what, counted and not believed`,
        takenOut: [
          {
            file: `${MEDIA}/receive-file.ts`,
            from: 'if (size > max) throw',
            to: 'if (size < 0) throw',
          },
        ],
      },
      {
        test: `${MEDIA}/hold-file.test.ts › U8: what is held for all unknown senders together has an end, and what is let go makes room`,
        takenOut: [
          {
            file: `${MEDIA}/hold-file.ts`,
            from: 'heldBytes + chunk.byteLength > TOGETHER_MAX_BYTES',
            to: 'heldBytes < 0',
          },
        ],
      },
      {
        test: 'src/worker/platform/multipart.test.ts › U8: a sender from whom nothing more comes is given up',
        takenOut: [
          {
            file: 'src/worker/platform/byte-reader.ts',
            from: "inTime(this.#reader.read(new Uint8Array(READ_BYTES)), this.#silenceMaxMs, 'the sender')",
            to: 'this.#reader.read(new Uint8Array(READ_BYTES))',
          },
        ],
      },
      {
        test: 'src/worker/platform/multipart.test.ts › a body announced as too large is refused unread; one that proves too large is cut off',
        takenOut: [
          {
            file: 'src/worker/platform/multipart.ts',
            from: 'if (this.#count > this.#maxBytes + OVERHEAD_MAX_BYTES) {',
            to: 'if (this.#count < 0) {',
          },
        ],
      },
    ],
  },
  {
    id: 'U9',
    threat: 'A form that two readers read differently smuggles in a second file or another type',
    rule: 'One file, each field once, a strict boundary: everything else is refused',
    proofs: [
      {
        test: 'src/worker/platform/multipart.test.ts › a body with a second file is refused',
        takenOut: [
          {
            file: 'src/worker/platform/multipart.ts',
            from: "if (part.name !== 'file' || file) throw garbled()",
            to: "if (part.name !== 'file') throw garbled()",
          },
        ],
      },
    ],
  },
  {
    id: 'U10',
    threat: 'A programme that is no PDF, or one with a script, opens as a page of ours',
    rule: '%PDF- at the first byte, 15 MB, never read by us, handed out as a download in a sandbox',
    proofs: [
      {
        test: 'src/worker/features/funeral/programme.test.ts › HTML before the mark is refused and nothing is kept',
        takenOut: [
          {
            file: 'src/worker/features/funeral/programme.ts',
            from: 'if (!isPdf(head)) throw',
            to: 'if (head.byteLength < 0) throw',
          },
        ],
      },
      {
        test: 'src/worker/features/funeral/programme.test.ts › a programme is served as a download that cannot run, under its own name',
        takenOut: [
          {
            file: 'src/worker/features/funeral/programme.ts',
            from: "contentDisposition('attachment',",
            to: "contentDisposition('inline',",
          },
        ],
      },
    ],
  },
  {
    id: 'U11',
    threat: 'A play list in film’s clothing makes a converter fetch what it names',
    rule: 'No converter with a network anywhere; a film begins with its own boxes and is read by ranges of its own bytes',
    proofs: [
      {
        test: `${HOSTILE} › U5: what only begins as one of our types is refused as damaged or foreign, and leaves nothing`,
        takenOut: [
          {
            file: `${MEDIA}/duration.ts`,
            from: "if (!video && !audio) throw new Error('no track')",
            to: 'if (!video && !audio) return { durationSec: 1, width: null, height: null, hasVideo: true }',
          },
        ],
      },
    ],
  },
  {
    id: 'U12',
    threat: 'A range that cannot be satisfied gets the whole file under 206, and players break',
    rule: 'Ranges are read by us: one range 206, none that fits 416, anything else the whole',
    proofs: [
      {
        test: `${MEDIA}/serve-media.test.ts › single ranges are cut right; impossible ones are 416; others are ignored`,
        takenOut: [
          {
            file: `${MEDIA}/serve-media.ts`,
            from: "if (plan.kind === 'unsatisfiable') {",
            to: 'if (false as boolean) {',
          },
        ],
      },
      {
        test: `${MEDIA}/serve-media.test.ts › what the browser has already is not sent again, and an old part is not mixed with a new file`,
        takenOut: [
          {
            file: `${MEDIA}/serve-media.ts`,
            from: "isHead || !mayUseRange(request.headers.get('If-Range'), object.httpEtag)",
            to: 'isHead',
          },
        ],
      },
    ],
  },
  {
    id: 'U13',
    threat: 'Uploads that were begun and left fill the storage',
    rule: 'What fails is removed at once, with its room; what a crash leaves, the hourly sweep and R2’s own seven days',
    proofs: [
      {
        test: `${MEDIA}/sending.test.ts › a file that breaks off on the way leaves nothing, small or in parts`,
        takenOut: [
          {
            file: `${MEDIA}/keep-file.ts`,
            from: 'await releaseQuota(ctx, draft.memorialId, draft.mediaId)',
            to: '',
          },
        ],
      },
      {
        test: `${MEDIA}/edit-media.test.ts › the sweep removes objects of an hour ago that no row knows, and nothing else`,
        takenOut: [
          {
            file: `${MEDIA}/media.jobs.ts`,
            from: 'if (orphans.length > 0) await ctx.env.MEDIA.delete(orphans)',
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'U14',
    threat: 'Somebody else finishes or fills an upload that is under way',
    rule: 'An upload belongs to who began it, and to its memorial; parts and their marks are the server’s own',
    proofs: [
      {
        test: `${MEDIA}/resumable.test.ts › U14: an upload is gone on with by whoever began it and by nobody else`,
        takenOut: [{ file: `${MEDIA}/resumable.ts`, from: ' || row.actorId !== actorOf(access)', to: '' }],
      },
    ],
  },
  {
    id: 'U15',
    threat: 'Malware is handed on from family to family',
    rule: 'Only media are taken, photographs are made anew, programmes are downloads',
    deviation:
      'nothing on this platform scans for viruses; what is no medium is refused (U1, EICAR among the 70), nothing is opened or run by us',
  },
  {
    id: 'C6',
    threat: 'A film of an hour says that it lasts a second',
    rule: 'The larger of what the header says and what the packets show counts',
    proofs: [
      {
        test: `${UNTRUE} › C6: video-too-long.mp4 is too long for a contributor also when its header says one second`,
        takenOut: [
          {
            file: `${MEDIA}/duration.ts`,
            from: 'durationSec: Math.max(stated ?? 0, computed),',
            to: 'durationSec: stated ?? computed,',
          },
        ],
      },
      {
        test: `${MEDIA}/durations.test.ts › C6: whatever the headers say, a film or recording is as long as what is in it`,
        takenOut: [
          {
            file: `${MEDIA}/avi.ts`,
            from: 'avi.facts.durationSec = Math.max(avi.facts.durationSec, counted)',
            to: '',
          },
        ],
      },
      {
        test: `${MEDIA}/durations.test.ts › C6: a header that claims more than there is counts as what it claims`,
        takenOut: [
          {
            file: `${MEDIA}/avi.ts`,
            from: 'avi.facts.durationSec = Math.max(avi.facts.durationSec, counted)',
            to: 'avi.facts.durationSec = counted',
          },
        ],
      },
    ],
  },
  {
    id: 'U16',
    threat: 'One small file makes its reader stand still or fill the memory, and with it everybody’s Worker',
    rule: 'Recordings of frames and WebM are walked piece by piece and counted, never listed; a piece has a length, and their number an end',
    proofs: [
      {
        test: `${MEDIA}/endless-files.test.ts › U16: frames that claim to be shorter than their own header are none`,
        takenOut: [{ file: `${MEDIA}/mpeg-audio.ts`, from: 'length < HEADER_BYTES', to: 'length < 1' }],
      },
      {
        test: `${MEDIA}/endless-files.test.ts › U16: a film of millions of pieces is refused, one of half a million in one cluster is read`,
        takenOut: [{ file: `${MEDIA}/webm.ts`, from: '++elements > ELEMENTS_MAX', to: '++elements < 0' }],
      },
      {
        test: `${MEDIA}/sample-tables.test.ts › U16: a fragment of many runs is judged by all of them together`,
        takenOut: [
          {
            file: `${MEDIA}/sample-tables.ts`,
            from: 'samples += box.readUInt32BE(at + 8)',
            to: 'samples = box.readUInt32BE(at + 8)',
          },
        ],
      },
      {
        test: `${MEDIA}/sample-tables.test.ts › U16: a film of many tracks is judged by all of them together`,
        takenOut: [
          { file: `${MEDIA}/sample-tables.ts`, from: 'together += samples', to: 'together = samples' },
        ],
      },
      {
        test: `${MEDIA}/sample-tables.test.ts › U16: a film whose list of names stands still is refused, wherever the list hides`,
        takenOut: [{ file: `${MEDIA}/sample-tables.ts`, from: 'checkNames(box)', to: '' }],
      },
      {
        test: `${MEDIA}/opus-in-caf.test.ts › U16: a recording of more packets than an hour of speech has is not gone through to its end`,
        takenOut: [{ file: `${MEDIA}/opus-in-caf.ts`, from: '++packets > packetsMax', to: '++packets < 0' }],
      },
      {
        test: `${MEDIA}/sample-tables.test.ts › U16: a list of fragments leads its reader nowhere, and a film without one stays as it is`,
        takenOut: [
          { file: `${MEDIA}/sample-tables.ts`, from: '.fill(0, Math.max(0, wordAt - start))', to: '' },
        ],
      },
    ],
  },
  {
    id: 'U17',
    threat:
      'An account that pays nothing fills the storage: what is deleted is kept for 30 days, and does not count',
    rule: 'At most 3 unpaid drafts and 10 deleted ones an account, counted where the next is made',
    proofs: [
      {
        test: 'src/worker/features/memorials/delete-memorial.test.ts › U17: who deletes unpaid memorials to make new ones fills no storage without end',
        takenOut: [
          {
            file: 'src/worker/features/memorials/memorials.ts',
            from: "and ${unpaidDrafts(userId, 'DELETED')} < ${UNPAID_DELETED_MAX})",
            to: ')',
          },
        ],
      },
    ],
  },
  {
    id: 'U18',
    threat:
      'Somebody stops an upload in the moment in which it becomes a photo: its page shows a file that is not there',
    rule: 'One at a time ends an upload, whichever way: who would remove it waits until no medium is being made of it',
    proofs: [
      {
        test: `${MEDIA}/resumable.test.ts › U18: an upload that is ended while a medium is made of it leaves no row without its file`,
        takenOut: [
          { file: `${MEDIA}/finish-upload.ts`, from: 'if (await claim(ctx, upload)) {', to: 'if (true) {' },
        ],
      },
      {
        test: `${MEDIA}/resumable.test.ts › U18: a first piece that comes after its upload was ended leaves nothing`,
        takenOut: [
          {
            file: `${MEDIA}/resumable.ts`,
            from: '  if (piece.offset === 0) await requireStill(ctx, upload)\n',
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'U19',
    threat:
      'Pictures are made at a price a piece, and somebody has them made again and again: by asking, or by sending and deleting',
    rule: 'What somebody asks for is tried three times an hour a size; an owner sends 2,000 files a day, a relative 60 an hour, posters counted; an account has 60 plaques drawn an hour',
    proofs: [
      {
        test: `${MEDIA}/pictures.test.ts › U19: a size that many ask for at once, or that cannot be made, is tried three times an hour`,
        takenOut: [
          {
            file: `${MEDIA}/pictures.ts`,
            from: 'if (await mayMake(ctx, prefix, avif)) await',
            to: 'await',
          },
        ],
      },
      {
        test: `${MEDIA}/sending.test.ts › U19: an owner sends 2,000 files a day to all their memorials together, whichever way`,
        takenOut: [
          {
            file: `${MEDIA}/receive-file.ts`,
            from: "await requireThrottle(ctx, 'ownerUploads', access.memorial.ownerId)",
            to: 'return',
          },
        ],
      },
      {
        test: `${MEDIA}/poster.test.ts › U19: a poster counts among the files that its sender may send`,
        takenOut: [{ file: `${MEDIA}/poster.ts`, from: '  await requireMoreFiles(ctx, found)\n', to: '' }],
      },
      {
        test: 'src/worker/features/plaque/plaque.test.ts › U19: nobody makes costs by having plaques drawn again and again',
        takenOut: [
          {
            file: 'src/worker/features/plaque/plaque.routes.ts',
            from: "    await requireThrottle(ctx, 'plaques', user.id)\n",
            to: '',
          },
        ],
      },
    ],
  },
]
