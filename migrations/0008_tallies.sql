CREATE TABLE `tallies` (
	`name` text PRIMARY KEY NOT NULL,
	`amount` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `contributors_invite` ON `contributors` (`invite_token`);--> statement-breakpoint
CREATE INDEX `resumable_uploads_media` ON `resumable_uploads` (`media_id`);--> statement-breakpoint
CREATE INDEX `resumable_uploads_open` ON `resumable_uploads` (`length`) WHERE "resumable_uploads"."ended_at" is null;--> statement-breakpoint
INSERT INTO tallies SELECT 'memorials', count(*) FROM memorials;--> statement-breakpoint
INSERT INTO tallies SELECT 'payments', count(*) FROM payments;--> statement-breakpoint
INSERT INTO tallies SELECT 'invite_tokens ' || status, count(*) FROM invite_tokens GROUP BY status;--> statement-breakpoint
CREATE TRIGGER memorials_more AFTER INSERT ON memorials BEGIN
  INSERT INTO tallies VALUES ('memorials', 1) ON CONFLICT (name) DO UPDATE SET amount = amount + 1;
END;--> statement-breakpoint
CREATE TRIGGER memorials_fewer AFTER DELETE ON memorials BEGIN
  UPDATE tallies SET amount = amount - 1 WHERE name = 'memorials';
END;--> statement-breakpoint
CREATE TRIGGER payments_more AFTER INSERT ON payments BEGIN
  INSERT INTO tallies VALUES ('payments', 1) ON CONFLICT (name) DO UPDATE SET amount = amount + 1;
END;--> statement-breakpoint
CREATE TRIGGER payments_fewer AFTER DELETE ON payments BEGIN
  UPDATE tallies SET amount = amount - 1 WHERE name = 'payments';
END;--> statement-breakpoint
CREATE TRIGGER invite_tokens_more AFTER INSERT ON invite_tokens BEGIN
  INSERT INTO tallies VALUES ('invite_tokens ' || new.status, 1) ON CONFLICT (name) DO UPDATE SET amount = amount + 1;
END;--> statement-breakpoint
CREATE TRIGGER invite_tokens_fewer AFTER DELETE ON invite_tokens BEGIN
  UPDATE tallies SET amount = amount - 1 WHERE name = 'invite_tokens ' || old.status;
END;--> statement-breakpoint
CREATE TRIGGER invite_tokens_changed AFTER UPDATE OF status ON invite_tokens WHEN old.status <> new.status BEGIN
  UPDATE tallies SET amount = amount - 1 WHERE name = 'invite_tokens ' || old.status;
  INSERT INTO tallies VALUES ('invite_tokens ' || new.status, 1) ON CONFLICT (name) DO UPDATE SET amount = amount + 1;
END;
