# Random malformed calls of every fitter: each is an error of ours or gives a valid model.

calls <- if (identical(Sys.getenv("NOT_CRAN"), "true")) 2000 else 300

for (name in names(fitters)) local({
  f <- fitters[[name]]
  test_that(paste0(name, ": D65: malformed fits are refused in our words or give a valid model"), {
    expect_no_stray(vapply(seq_len(calls), function(seed) {
      outcome_of_call(f$fit, random_call(name, f$base, seed))
    }, ""))
  })

  test_that(paste0(name, ": D65: malformed options of predict() are refused or answered"), {
    d <- two_classes(10)
    fit <- f$quick(y ~ ., d)
    names <- setdiff(method_arguments("predict", name), "newdata")
    expect_no_stray(vapply(seq_len(calls / 4), function(seed) {
      set.seed(seed)
      outcome_of_prediction(fit, d, odd_arguments(names))
    }, ""))
  })

  test_that(paste0(name, ": D65: malformed new data are refused or answered row by row"), {
    d <- two_classes()
    fit <- f$quick(y ~ a + b, d)
    for (new in c(odd_values, odd_inputs$x, odd_data)) {
      if (is.data.frame(new) && ncol(new) == 0) new <- NULL
      rows <- tryCatch(length(predict(fit, new)), flexkern_error = function(e) NULL)
      if (!is.null(rows)) expect_identical(rows, if (is.null(dim(new))) 1L else nrow(new))
    }
  })
})
