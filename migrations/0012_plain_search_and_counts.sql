-- The console now searches by scanning indexes and counts with count(*) (docs/decisions/0041), so these tables and their triggers
-- are dropped in the same release that stops using them. Until the new version is deployed, the running one answers its admin
-- lists, statistics, tokens and System tab with an error. Nothing else reads these tables, and no write fails: each trigger is
-- dropped, or replaced by one that no longer names them, before the tables are.
DROP TRIGGER `memorials_more`;--> statement-breakpoint
DROP TRIGGER `memorials_fewer`;--> statement-breakpoint
DROP TRIGGER `memorials_status_more`;--> statement-breakpoint
DROP TRIGGER `memorials_status_fewer`;--> statement-breakpoint
DROP TRIGGER `memorials_status_changed`;--> statement-breakpoint
DROP TRIGGER `memorials_found`;--> statement-breakpoint
DROP TRIGGER `memorials_lost`;--> statement-breakpoint
DROP TRIGGER `memorials_memorial_changed`;--> statement-breakpoint
DROP TRIGGER `memorials_slug_changed`;--> statement-breakpoint
DROP TRIGGER `users_found`;--> statement-breakpoint
DROP TRIGGER `users_lost`;--> statement-breakpoint
DROP TRIGGER `users_email_changed`;--> statement-breakpoint
DROP TRIGGER `users_person_changed`;--> statement-breakpoint
DROP TRIGGER `payments_more`;--> statement-breakpoint
DROP TRIGGER `payments_fewer`;--> statement-breakpoint
DROP TRIGGER `payments_found`;--> statement-breakpoint
DROP TRIGGER `payments_lost`;--> statement-breakpoint
DROP TRIGGER `invite_tokens_more`;--> statement-breakpoint
DROP TRIGGER `invite_tokens_fewer`;--> statement-breakpoint
DROP TRIGGER `invite_tokens_changed`;--> statement-breakpoint
DROP TRIGGER `media_stored`;--> statement-breakpoint
DROP TRIGGER `media_removed`;--> statement-breakpoint
DROP TRIGGER `media_resized`;--> statement-breakpoint
CREATE TRIGGER media_stored AFTER INSERT ON media BEGIN
  INSERT INTO memorial_storage VALUES (new.memorial_id, new.size, 1)
    ON CONFLICT (memorial_id) DO UPDATE SET bytes = bytes + excluded.bytes, files = files + 1;
END;--> statement-breakpoint
CREATE TRIGGER media_removed AFTER DELETE ON media BEGIN
  UPDATE memorial_storage SET bytes = bytes - old.size, files = files - 1 WHERE memorial_id = old.memorial_id;
  DELETE FROM memorial_storage WHERE memorial_id = old.memorial_id AND files = 0;
END;--> statement-breakpoint
CREATE TRIGGER media_resized AFTER UPDATE OF size ON media WHEN old.size <> new.size BEGIN
  UPDATE memorial_storage SET bytes = bytes + new.size - old.size WHERE memorial_id = new.memorial_id;
END;--> statement-breakpoint
DROP TABLE `search_endings`;--> statement-breakpoint
DROP TABLE `search_positions`;--> statement-breakpoint
DROP TABLE `tallies`;--> statement-breakpoint
DROP INDEX `memorials_created`;--> statement-breakpoint
CREATE INDEX `memorials_created` ON `memorials` (`created_at`,`id`,`owner_id`,`slug`,`honouree_full_name`);--> statement-breakpoint
DROP INDEX `payments_created`;--> statement-breakpoint
CREATE INDEX `payments_created` ON `payments` (`created_at`,`id`,`user_id`,`memorial_id`,`target_memorial_id`);--> statement-breakpoint
CREATE INDEX `users_search` ON `users` (`email`,`first_name`,`last_name`,`id`);
