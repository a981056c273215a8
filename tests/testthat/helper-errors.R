# Hostile calls and what they say.

outcome_of <- function(call, env) {
  tryCatch(
    {
      suppressMessages(eval(call, env))
      "no error"
    },
    flexkern_error = conditionMessage,
    error = function(e) paste("NOT OURS:", conditionMessage(e))
  )
}

# Each call is an error of ours, and the snapshot has its words.
expect_refusals <- function(calls, env = parent.frame()) {
  said <- vapply(calls, outcome_of, "", env)
  expect_identical(said[said == "no error" | startsWith(said, "NOT OURS")], character())
  said <- gsub(as.character(utils::packageVersion("flexkern")), "<version>", said, fixed = TRUE)
  asked <- vapply(calls, function(e) paste(deparse(e, 200), collapse = " "), "")
  expect_snapshot(cat(paste0(asked, "\n    ", said, "\n"), sep = ""))
}
