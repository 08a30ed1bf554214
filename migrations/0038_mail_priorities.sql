ALTER TABLE `mails` ADD `priority` text DEFAULT 'NOW' NOT NULL;--> statement-breakpoint
CREATE INDEX `mails_waiting` ON `mails` (`priority`,`created_at`,`id`) WHERE "mails"."status" = 'QUEUED';