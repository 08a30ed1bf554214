CREATE TABLE `removed_items` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`contributor_id` text,
	`removed_by` text NOT NULL,
	`is_by_admin` integer NOT NULL,
	`object_key` text,
	`bytes` integer NOT NULL,
	`was_cover` integer NOT NULL,
	`was_portrait` integer NOT NULL,
	`item` text NOT NULL,
	`likes` text NOT NULL,
	`removed_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `removed_items_memorial` ON `removed_items` (`memorial_id`,`removed_at`,`id`);--> statement-breakpoint
CREATE INDEX `removed_items_contributor` ON `removed_items` (`contributor_id`,`removed_at`,`id`);--> statement-breakpoint
CREATE INDEX `removed_items_removed` ON `removed_items` (`removed_at`,`id`);--> statement-breakpoint
CREATE TRIGGER removed_kept AFTER INSERT ON removed_items WHEN new.object_key IS NOT NULL BEGIN
  INSERT INTO memorial_storage VALUES (new.memorial_id, new.bytes, 1)
    ON CONFLICT (memorial_id) DO UPDATE SET bytes = bytes + excluded.bytes, files = files + 1;
END;--> statement-breakpoint
CREATE TRIGGER removed_purged AFTER DELETE ON removed_items WHEN old.object_key IS NOT NULL BEGIN
  UPDATE memorial_storage SET bytes = bytes - old.bytes, files = files - 1 WHERE memorial_id = old.memorial_id;
  DELETE FROM memorial_storage WHERE memorial_id = old.memorial_id AND files = 0;
END;
