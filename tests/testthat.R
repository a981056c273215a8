library(testthat)
library(flexkern)

test_check("flexkern")
