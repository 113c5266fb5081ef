from django.urls import path

from agreement import views

urlpatterns = [
    path("c/<slug:slug>/agreement/", views.agreement, name="agreement"),
    path("c/<slug:slug>/agreement/compute/", views.compute, name="compute-agreement"),
]
