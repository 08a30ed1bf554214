import { EXPORT_FORMAT, EXPORT_VERSION, type MemorialExport } from '#shared/export.ts'
import type { Snapshot } from '#worker/features/export/snapshot.ts'
import { toExportedReply } from '#worker/features/replies/replies.ts'
import { storyText } from '#worker/features/export/page-parts.ts'

/** Generates `memorial.json` in chunks, indented so that a person can read it too. */
export async function* exportJson(snapshot: Snapshot): AsyncGenerator<string> {
  const { archive, part, partCount, exportedAt, story, fileOf, partOf } = snapshot
  const { memorial, location } = archive
  const head: Omit<MemorialExport, 'messages'> = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    exportedAt: instant(exportedAt),
    part: { number: part, of: partCount },
    memorial: {
      id: memorial.id,
      honoureeFullName: memorial.honoureeFullName,
      title: memorial.title,
      dateOfBirth: memorial.dateOfBirth,
      dateOfBirthPrecision: memorial.dateOfBirthPrecision,
      dateOfDeath: memorial.dateOfDeath,
      dateOfDeathPrecision: memorial.dateOfDeathPrecision,
      lifeStory: story === null ? null : { html: story.html, text: storyText(story.nodes) },
      portraitMediaId: memorial.profileMediaId,
      coverMediaId: memorial.coverMediaId,
      status: memorial.status,
      privacy: memorial.privacy,
      isPaid: memorial.isPaid,
      showLocation: memorial.showLocation,
      allowSearchEngines: memorial.allowSearchEngines,
      showInvitePreview: memorial.showInvitePreview,
      holdNew: memorial.holdNew,
      visitorMessages: memorial.visitorMessages,
      publicLink: snapshot.publicLink,
      publicSince: instantOrNull(memorial.lockedAt),
      deletedAt: instantOrNull(memorial.deletedAt),
      createdAt: instant(memorial.createdAt),
      updatedAt: instant(memorial.updatedAt),
    },
    location,
    services: archive.services.map(({ row, programme, replies }) => ({
      id: row.id,
      title: row.title,
      dateTime: instant(row.dateTime),
      timeZone: row.timeZone,
      venueName: row.venueName,
      addressLine: row.addressLine,
      city: row.city,
      region: row.region,
      country: row.country,
      postalCode: row.postalCode,
      notes: row.notes,
      kind: row.kind,
      endDateTime: instantOrNull(row.endsAt),
      pin:
        row.latitude === null || row.longitude === null
          ? null
          : { latitude: row.latitude, longitude: row.longitude },
      wayThere: row.wayThere,
      dress: row.dress,
      bring: row.bring,
      contact: row.contact,
      contactFor: row.contactFor,
      audience: row.audience,
      streamUrl: row.streamUrl,
      recordingUrl: row.recordingUrl,
      isCancelled: row.isCancelled,
      takesReplies: row.takesReplies,
      capacity: row.capacity,
      repliesUntil: instantOrNull(row.repliesUntil),
      keepReplies: row.keepReplies,
      replies: replies.map(toExportedReply),
      programme: programme && {
        file: fileOf(programme),
        part: partOf(programme),
        originalFileName: row.programmeName,
        size: programme.size,
      },
    })),
    media: archive.media.map(({ row, file }) => ({
      id: row.id,
      type: row.type,
      mimeType: row.mimeType,
      file: fileOf(file),
      part: partOf(file),
      originalFileName: row.originalFileName,
      size: file.size,
      width: row.width,
      height: row.height,
      durationSec: row.durationSec,
      caption: row.caption,
      alternativeText: row.alt,
      addedBy: row.contributorName,
      createdAt: instant(row.createdAt),
    })),
  }
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "messages": [`
  let isFirst = true
  for await (const page of snapshot.messages()) {
    yield page
      .map((message, index) => `${isFirst && index === 0 ? '' : ','}\n    ${JSON.stringify(message)}`)
      .join('')
    isFirst = false
  }
  yield '\n  ]\n}\n'
}

function instant(at: number): string {
  return new Date(at).toISOString()
}

function instantOrNull(at: number | null): string | null {
  return at === null ? null : instant(at)
}
