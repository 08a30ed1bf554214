-- Verification mails that wait, or gave up, from before `registrations` existed have no row there, and would be cancelled. Each
-- gets one, at most 5 for a person. Nobody can know the token of such a row: the link gets its token when the mail is sent.
INSERT INTO `registrations` (`id`, `user_id`, `first_name`, `last_name`, `token_hash`, `mail_id`, `expires_at`, `created_at`)
SELECT 'reg_' || lower(hex(randomblob(13))), `user_id`, `first_name`, `last_name`, lower(hex(randomblob(32))), `mail_id`, `created_at` + 86400000, `created_at`
FROM (
	SELECT `users`.`id` AS `user_id`, `users`.`first_name`, `users`.`last_name`, `mails`.`id` AS `mail_id`, `mails`.`created_at`,
		row_number() OVER (PARTITION BY `users`.`id` ORDER BY `mails`.`created_at` DESC, `mails`.`id`) AS `nth`
	FROM `mails` JOIN `users` ON `users`.`id` = `mails`.`subject_id`
	WHERE `mails`.`kind` = 'verify' AND `mails`.`status` IN ('QUEUED', 'DEAD') AND `users`.`email_verified_at` IS NULL
		AND NOT EXISTS (SELECT 1 FROM `registrations` WHERE `registrations`.`mail_id` = `mails`.`id`)
)
WHERE `nth` <= 5;
