CREATE TABLE `memorial_storage` (
	`memorial_id` text PRIMARY KEY NOT NULL,
	`bytes` integer NOT NULL,
	`files` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `memorial_storage_bytes` ON `memorial_storage` (`bytes`);--> statement-breakpoint
CREATE TABLE `dead_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`job` text NOT NULL,
	`request_id` text NOT NULL,
	`died_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `dead_jobs_died` ON `dead_jobs` (`died_at`,`id`);--> statement-breakpoint
CREATE TABLE `task_runs` (
	`task` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`took_ms` integer NOT NULL,
	`is_failed` integer NOT NULL,
	`request_id` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `webhook_events` ADD `happened_at` integer;--> statement-breakpoint
INSERT INTO memorial_storage SELECT memorial_id, sum(size), count(*) FROM media GROUP BY memorial_id;--> statement-breakpoint
INSERT INTO tallies SELECT 'media bytes', coalesce(sum(size), 0) FROM media;--> statement-breakpoint
CREATE TRIGGER media_stored AFTER INSERT ON media BEGIN
  INSERT INTO memorial_storage VALUES (new.memorial_id, new.size, 1)
    ON CONFLICT (memorial_id) DO UPDATE SET bytes = bytes + excluded.bytes, files = files + 1;
  INSERT INTO tallies VALUES ('media bytes', new.size) ON CONFLICT (name) DO UPDATE SET amount = amount + excluded.amount;
END;--> statement-breakpoint
CREATE TRIGGER media_removed AFTER DELETE ON media BEGIN
  UPDATE memorial_storage SET bytes = bytes - old.size, files = files - 1 WHERE memorial_id = old.memorial_id;
  DELETE FROM memorial_storage WHERE memorial_id = old.memorial_id AND files = 0;
  UPDATE tallies SET amount = amount - old.size WHERE name = 'media bytes';
END;--> statement-breakpoint
CREATE TRIGGER media_resized AFTER UPDATE OF size ON media WHEN old.size <> new.size BEGIN
  UPDATE memorial_storage SET bytes = bytes + new.size - old.size WHERE memorial_id = new.memorial_id;
  UPDATE tallies SET amount = amount + new.size - old.size WHERE name = 'media bytes';
END;
